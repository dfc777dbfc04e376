/** Lists of people from files and as files. */
import { saveFile } from "../lib/savefile";
import { download } from "./client";
import { useMutation } from "./mutation";
import { useScript } from "./scripts";

export type ListForm = "" | "hubspot" | "salesforce" | "pipedrive";

export const useImportList = () => useScript("listimport");

/** Saves a list as a file. Without a format, the server chooses the columns. */
export const useExportList = () =>
  useMutation({
    mutationFn: async ({ listid, form, format }: { listid: number; form: ListForm; format: "csv" | "xlsx" }) =>
      saveFile(await download("listexport", { query: { listid, format, ...(form && { form }) } }), `${form || "list"}-${listid}.${format}`),
  });
