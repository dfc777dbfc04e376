/** Exports of contacts. The server creates, limits and audits them. */
import { saveFile } from "../../shared/savefile";
import { type ContactFilter, type ContactOrder, ORDERS, contactFilter } from "../domain/contactfilter";
import { t } from "../lib/i18n.dashboard";
import { download } from "./client";
import { ApiError } from "./errors";
import { explain } from "./explain";
import { useMutation } from "./mutation";
import { tablePath } from "./tables";

const MINUTE = 60;
const HOUR = 3600;
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** The maximum number of rows of one file. */
export const MOST_EXPORTED = 5000;

/** The maximum number of selected contacts outside the user's own list. */
export const MOST_NAMED = 500;

interface Named {
  ids: number[];
  /** The account id, for contacts outside the user's own list. */
  client: number | undefined;
}

/** The contacts of these ids. A list of ids may be too long for an address, so it is a body. */
export const useExportContacts = () =>
  useMutation({
    mutationFn: async ({ ids, client }: Named) => {
      const body = client ? { filter: `${contactFilter({ client })} and (contactid in (:ids))`, params: { ids }, limit: MOST_NAMED } : { ids };
      return saveFile(await download(tablePath("usercontact"), { body, accept: XLSX }), "mycontacts.xlsx");
    },
  });

/** All contacts that match the filter, in list order. */
export const useExportFound = () =>
  useMutation({
    mutationFn: async ({ filter, order }: { filter: ContactFilter; order: ContactOrder }) => {
      const query = { filter: contactFilter({ ...filter, present: true }), order: ORDERS[order], limit: MOST_EXPORTED };
      return saveFile(await download(tablePath("usercontact"), { query, accept: XLSX }), "mycontacts.xlsx");
    },
  });

/** The outcome of a bulk job, with the contacts that it found. */
export const useExportJob = () =>
  useMutation({
    mutationFn: async (jobid: number) => saveFile(await download(`bulklookup/${jobid}`, { accept: XLSX }), "bulklookup.xlsx"),
  });

/** The message for a rejected export. A wait of hours means the daily limit rather than the limit per minute. */
export function explainExport(error: unknown): string {
  const wait = error instanceof ApiError && error.status === 429 ? (error.retryAfter ?? 0) : 0;
  return wait > MINUTE ? t("contacts.exportLimit", { count: Math.ceil(wait / HOUR) }) : explain(error);
}
