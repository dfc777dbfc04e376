/** Imports lists of people from files, and exports them. */
import { queryOptions } from "@tanstack/react-query";
import { saveFile } from "../../shared/savefile";
import { call, download } from "./client";
import { keys, STALE } from "./keys";
import { useMutation } from "./mutation";
import { useScript } from "./scripts";

export type ListForm = "" | "hubspot" | "salesforce" | "pipedrive";

export const LIST_COLUMNS = [
  "full_name", "firstname", "lastname", "title", "company", "company_domain", "country", "city", "linkedinurl",
  "email", "business_emails", "personal_emails", "phone", "phones", "verification", "tags", "note", "createdon",
] as const;
export type ListColumn = (typeof LIST_COLUMNS)[number];

interface ListExport {
  listid: number;
  /** Of the list, and of the file. */
  name: string;
  form: ListForm;
  format: "csv" | "xlsx";
  columns: readonly ListColumn[];
  /** First and last name of full names that have none clear, as the user decided. */
  names: Names;
}

export type Names = Readonly<Record<string, readonly [string, string]>>;

interface UnsplitName {
  full_name: string;
  firstname: string;
  lastname: string;
}

/** The names on a list that have no clear first and last name. */
export const unsplitNames = (listid: number) =>
  queryOptions({
    queryKey: keys.unsplitNames(listid),
    queryFn: ({ signal }) => call<{ resource: UnsplitName[] }>("GET", "listexport", { query: { listid, preview: true }, signal }),
  });

export const useImportList = () => useScript("listimport", { stale: STALE.lists });

/** Saves a list as a file with these columns, or with the columns that another program imports. */
export const useExportList = () =>
  useMutation({
    mutationFn: async ({ listid, name, form, format, columns, names }: ListExport) =>
      saveFile(await download("listexport", { query: { listid, format, ...(Object.keys(names).length > 0 && { names: JSON.stringify(names) }), ...(form ? { form } : { columns: columns.join(","), bom: true }) } }), `${name}.${format}`),
  });
