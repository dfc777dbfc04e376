/** The numbers of the first screen. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { keys } from "./keys";
import { runScript } from "./scripts";
import { rows } from "./tables";

/** The reveals of a user, or of the team, since a day, in total and per day. */
export const revealCount = (revealedby: number, date: string, team = false) =>
  queryOptions({
    queryKey: keys.revealCount(revealedby, date, team),
    queryFn: ({ signal }) => runScript("getrevealcount", { revealedby, date, daily: true, ...(team && { team }) }, { signal }),
    placeholderData: keepPreviousData,
  });

export const appCounters = queryOptions({
  queryKey: keys.appCounters,
  queryFn: async ({ signal }) => (await runScript("datascript/appcounters", {}, { signal })).data,
});

const LATEST = 6;

/** The contacts that came into the list last. */
export const latestContacts = rows("usercontact", { order: "createdon DESC", limit: LATEST });
