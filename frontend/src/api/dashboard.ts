/** The numbers on the first screen. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call } from "./client";
import { keys } from "./keys";
import { runScript } from "./scripts";
import { rows } from "./tables";
import type { Balances } from "./types";

/**
 * The people and values that a user or the team revealed since a day, per day; from `split` on, people are counted
 * again.
 */
export const revealCount = (revealedby: number, date: string, split: string, team = false) =>
  queryOptions({
    queryKey: keys.revealCount(revealedby, date, split, team),
    queryFn: ({ signal }) => runScript("getrevealcount", { revealedby, date, split, daily: true, ...(team && { team }) }, { signal }),
    placeholderData: keepPreviousData,
  });

export const appCounters = queryOptions({
  queryKey: keys.appCounters,
  queryFn: async ({ signal }) => (await runScript("datascript/appcounters", {}, { signal })).data,
});

/** The account's spending in the last 30 days, and when its credits are renewed. */
export const pace = queryOptions({
  queryKey: keys.pace,
  queryFn: ({ signal }) => call<Pace>("GET", "account/credits", { signal }),
  staleTime: 300_000,
});

interface Pace {
  spent: Balances;
  renewson: string | null;
  autorenew: boolean;
}

/** The calls of the account's API keys since a day. */
export const keyCalls = (since: string) => rows("apiusage", { fields: "usageid", filter: `(createdon>='${since}')`, limit: 1, include_count: true });

const LATEST = 6;

/** The contacts added most recently. */
export const latestContacts = rows("usercontact", { order: "createdon DESC", limit: LATEST });
