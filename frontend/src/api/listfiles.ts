/** Imports lists of people from files, and exports them. */
import { saveFile } from "../../shared/savefile";
import { download } from "./client";
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
  form: ListForm;
  format: "csv" | "xlsx";
  columns: readonly ListColumn[];
}

export const useImportList = () => useScript("listimport");

/** Saves a list as a file with these columns, or with the columns that another program imports. */
export const useExportList = () =>
  useMutation({
    mutationFn: async ({ listid, form, format, columns }: ListExport) =>
      saveFile(await download("listexport", { query: { listid, format, ...(form ? { form } : { columns: columns.join(","), bom: true }) } }), `${form || "list"}-${listid}.${format}`),
  });
