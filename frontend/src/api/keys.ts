/** The keys of the query cache, and which queries a mutation makes stale.

 The first part of a key is its subject: a table, a script, or a name chosen by the app. A mutation names the subjects
 that it changes, and `invalidate` makes every query about them stale. */
import type { QueryClient } from "@tanstack/react-query";
import type { Query } from "./transport";
import type { Tables } from "./types";

type Table = keyof Tables;

export const keys = {
  account: ["account"],
  accessRequest: (search: string) => ["accessrequest", search] as const,
  table: <Name extends Table>(name: Name, options: Query) => [name, options] as const,
  contact: (contactid: number) => ["usercontact", "one", contactid] as const,
  person: (linkedinurl: string) => ["searchurl", "person", linkedinurl] as const,
  contactsFromEnd: (page: { limit: number; offset: number }) => ["usercontact", "end", page] as const,
  contactsByName: (input: object) => ["searchname", input] as const,
  contactSearch: (input: object, run: number) => ["searchurl", input, run] as const,
  votes: (urls: readonly string[]) => ["contactfeedback", urls] as const,
  checkout: (sessionId: string) => ["checkout", sessionId] as const,
  bulkJob: (jobid: number) => ["bulklookup", jobid] as const,
  bulkEstimate: (file: File, kinds: readonly string[]) => ["bulkestimate", file.name, file.size, file.lastModified, kinds] as const,
  revealCount: (revealedby: number, date: string, split: string, team: boolean) => ["getrevealcount", revealedby, date, split, team] as const,
  identities: ["identities"],
  unsplitNames: (listid: number) => ["contactlistitem", "unsplit", listid] as const,
  undo: (code: string) => ["emailundo", code] as const,
  appCounters: ["appcounters"],
  pace: ["pace"],
  revealPrice: (purchase: object) => ["revealmany", purchase] as const,
  platformUsage: (span: object) => ["getplatformusagedata", span] as const,
  revealedBy: (appuserid: number, month: string, page: number) => ["usercontact", "revealedby", appuserid, month, page] as const,
  apiUsage: (span: object) => ["getapiusagedata", span] as const,
} as const;

export type Subject = Table | "account" | "appcounters" | "searchname" | "getrevealcount" | "getplatformusagedata" | "getapiusagedata" | "pace" | "identities" | "searchpeople" | "searchnews" | "listpeople" | "searchurl";

/** The subjects that each mutation makes stale. */
export const STALE = {
  reveal: ["creditledger", "usercontact", "searchname", "getrevealcount", "appcounters", "pace", "searchpeople", "listpeople"],
  bulk: ["creditledger", "account", "usercontact", "searchname", "getrevealcount", "appcounters", "pace"],
  payment: ["creditledger", "account", "transactionhistory", "appcounters", "pace"],
  apiKeys: ["apikeys", "account", "getapiusagedata", "appcounters"],
  lists: ["contactlist", "contactlistitem", "listpeople"],
  team: ["appuser", "account"],
} as const satisfies Record<string, readonly Subject[]>;

export async function invalidate(queries: QueryClient, subjects: readonly Subject[]): Promise<void> {
  await Promise.all(subjects.map((subject) => queries.invalidateQueries({ queryKey: [subject] })));
}
