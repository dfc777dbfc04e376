/** Reports of one month: per member and per API key, and the contacts behind a member's number. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { monthAfter } from "../lib/months";
import { call } from "./client";
import { keys } from "./keys";
import { type UsageSpan, runScript } from "./scripts";
import { tablePath } from "./tables";
import type { List, UserContact } from "./types";

export const REVEALED_PAGE = 10;

export const platformUsage = (span: UsageSpan) =>
  queryOptions({
    queryKey: keys.platformUsage(span),
    queryFn: ({ signal }) => runScript("getplatformusagedata", span, { signal }),
    placeholderData: keepPreviousData,
  });

export const apiUsage = (span: UsageSpan) =>
  queryOptions({
    queryKey: keys.apiUsage(span),
    queryFn: async ({ signal }) => (await runScript("getapiusagedata", span, { signal })).resource,
    placeholderData: keepPreviousData,
  });

/** A contact with values that a member revealed in a month. */
export interface Revealed {
  contactid: number;
  /** When the latest value was revealed. */
  latest: string;
  /** Missing if colleagues had revealed every kind of this contact. */
  contact?: UserContact | undefined;
}

type Latest = Pick<Revealed, "contactid" | "latest">;

/** The contacts with values that a member revealed in a month, latest first. */
export const revealedBy = (appuserid: number, month: string, page: number) =>
  queryOptions({
    queryKey: keys.revealedBy(appuserid, month, page),
    queryFn: ({ signal }) => revealed(appuserid, month, page, signal),
    placeholderData: keepPreviousData,
  });

/** The ledger has the time and kind of each reveal, the contacts have the values. */
async function revealed(appuserid: number, month: string, page: number, signal: AbortSignal): Promise<List<Revealed>> {
  const latest = await call<List<Latest>>("GET", tablePath("creditledger"), {
    signal,
    query: {
      fields: "contactid,MAX(createdon) AS latest",
      group: "contactid",
      filter: `(actor=${appuserid}) and (reason='reveal') and (createdon>='${month}-01') and (createdon<'${monthAfter(month, 1)}-01')`,
      order: "MAX(createdon) DESC,contactid",
      limit: REVEALED_PAGE,
      offset: (page - 1) * REVEALED_PAGE,
      include_count: true,
    },
  });
  if (latest.resource.length === 0) return { ...latest, resource: [] };
  const ids = latest.resource.map(({ contactid }) => contactid).join(",");
  const filter = `((revealedby=${appuserid}) or (dialrevealedby=${appuserid})) and (contactid in (${ids}))`;
  const contacts = await call<List<UserContact>>("GET", tablePath("usercontact"), { signal, contacts: true, query: { filter } });
  const byId = new Map(contacts.resource.map((contact) => [contact.contactid, contact]));
  return { ...latest, resource: latest.resource.map((row) => ({ ...row, contact: byId.get(row.contactid) })) };
}
