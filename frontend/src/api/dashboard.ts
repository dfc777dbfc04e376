/** The numbers of the first screen. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { runScript } from "./scripts";
import { rows } from "./tables";

/** Reveals of a person, or of their team, since a day, in all and per day. */
export const revealCount = (revealedby: number, date: string, team = false) =>
  queryOptions({
    queryKey: ["getrevealcount", revealedby, date, team] as const,
    queryFn: ({ signal }) => runScript("getrevealcount", { revealedby, date, daily: true, ...(team && { team }) }, { signal }),
    placeholderData: keepPreviousData,
  });

export const appCounters = queryOptions({
  queryKey: ["appcounters"] as const,
  queryFn: async ({ signal }) => (await runScript("datascript/appcounters", {}, { signal })).data,
});

const LATEST = 6;

/** The contacts that came into the list last. */
export const latestContacts = rows("usercontact", { order: "createdon DESC", limit: LATEST });
