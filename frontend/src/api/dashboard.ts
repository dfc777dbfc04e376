/** The numbers of the first screen. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { runScript } from "./scripts";

/** Reveals of a person since a day, in all and per day. */
export const revealCount = (revealedby: number, date: string) =>
  queryOptions({
    queryKey: ["getrevealcount", revealedby, date] as const,
    queryFn: ({ signal }) => runScript("getrevealcount", { revealedby, date, daily: true }, { signal }),
    placeholderData: keepPreviousData,
  });

export const appCounters = queryOptions({
  queryKey: ["appcounters"] as const,
  queryFn: async ({ signal }) => (await runScript("datascript/appcounters", {}, { signal })).data,
});
