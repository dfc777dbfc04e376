/** The numbers of the first screen. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { keys } from "./keys";
import { runScript } from "./scripts";

/** The reveals of a user since a day, in total and per day. */
export const revealCount = (revealedby: number, date: string) =>
  queryOptions({
    queryKey: keys.revealCount(revealedby, date),
    queryFn: ({ signal }) => runScript("getrevealcount", { revealedby, date, daily: true }, { signal }),
    placeholderData: keepPreviousData,
  });

export const appCounters = queryOptions({
  queryKey: keys.appCounters,
  queryFn: async ({ signal }) => (await runScript("datascript/appcounters", {}, { signal })).data,
});
