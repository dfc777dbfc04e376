/** Reports of one month: per member and per API key, and the contacts behind a member's number. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { keys } from "./keys";
import { type UsageSpan, runScript } from "./scripts";
import { rows } from "./tables";

export const REVEALED_PAGE = 10;

export const platformUsage = (span: UsageSpan) =>
  queryOptions({
    queryKey: keys.platformUsage(span),
    queryFn: async ({ signal }) => (await runScript("getplatformusagedata", span, { signal })).resource,
    placeholderData: keepPreviousData,
  });

export const apiUsage = (span: UsageSpan) =>
  queryOptions({
    queryKey: keys.apiUsage(span),
    queryFn: async ({ signal }) => (await runScript("getapiusagedata", span, { signal })).resource,
    placeholderData: keepPreviousData,
  });

/** The contacts of which a member revealed something, newest first. */
export const revealedBy = (appuserid: number, page: number) =>
  queryOptions({
    ...rows("usercontact", {
      filter: `(revealedby=${appuserid}) or (dialrevealedby=${appuserid})`,
      order: "createdon DESC",
      limit: REVEALED_PAGE,
      offset: (page - 1) * REVEALED_PAGE,
      include_count: true,
    }),
    placeholderData: keepPreviousData,
  });
