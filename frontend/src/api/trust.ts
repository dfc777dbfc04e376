/** The companies that process data for this server, and its security contact. */
import { queryOptions } from "@tanstack/react-query";
import { call } from "./client";

export interface Trust {
  securitycontact: string | null;
  subprocessors: { name: string; purpose: string }[];
}

export const trust = queryOptions({
  queryKey: ["trust"],
  queryFn: ({ signal }) => call<Trust>("GET", "trust", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
