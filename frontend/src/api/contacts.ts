/** Contacts: the search by profile, the reveal, the personal list and the votes. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { MOST_OFFSET, fromEnd } from "../lib/paging";
import { inPortions, votesByValue } from "../domain/votes";
import { call } from "./client";
import { STALE, keys } from "./keys";
import { contactsPage } from "./lists";
import { type ListOptions, literal, rows, tablePath, useTableWrite } from "./tables";
import type { Feedback, List, UserContact } from "./types";
import { type Input, runScript, useScript } from "./scripts";

/** What was asked, and the how manieth search it is: the same question again is a new search. */
export type Asked = Input<"searchurl"> & { run: number };

export const searchContact = ({ run, ...input }: Asked) =>
  queryOptions({
    queryKey: keys.contactSearch(input, run),
    queryFn: async ({ signal }) => (await runScript("searchurl", input, { signal, contacts: true })).data,
    // Revealed values are put into this answer; it must not be asked for behind the reader's back.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** The balances come with the answer, so the account is not asked again. */
export const useReveal = () => useScript("getcontact", { stale: STALE.reveal, contacts: true });

interface Page {
  page: number;
  size: number;
  text: string;
}

/** One page of the personal list: all of it, or what matches a text. */
export function myContacts({ page, size, text }: Page) {
  const limit = size;
  const offset = (page - 1) * size;
  return queryOptions({
    ...(text ? byName({ limit, offset, searchtext: text }) : offset > MOST_OFFSET ? far({ limit, offset }) : all({ limit, offset })),
    placeholderData: keepPreviousData,
  } as ReturnType<typeof all>);
}

/** The page is in the middle of a list so long that only a search leads there. */
export class TooFar extends Error {}

const all = (page: { limit: number; offset: number }) => rows("usercontact", contactsPage(page));

/** A page that the server does not leaf to from the beginning: read from the end, in the opposite order. */
const far = (page: { limit: number; offset: number }) =>
  queryOptions({
    queryKey: keys.contactsFromEnd(page),
    queryFn: async ({ signal }) => {
      const list = (query: ListOptions) =>
        call<List<UserContact>>("GET", tablePath("usercontact"), { query: { include_count: true, ...query }, signal, contacts: true });
      const count = (await list({ limit: 1, offset: 0 })).meta?.count ?? 0;
      const place = fromEnd(page, count);
      if (!place) throw new TooFar();
      if (place.limit === 0) return { resource: [], meta: { count } };
      const answer = await list({ order: "createdon ASC,contactid DESC", ...place });
      return { ...answer, resource: answer.resource.toReversed() };
    },
  });

const byName = (input: Input<"searchname">) =>
  queryOptions({
    queryKey: keys.contactsByName(input),
    queryFn: ({ signal }) => runScript("searchname", input, { signal, contacts: true }),
  });

// The server takes filters of 2,000 characters.
const LONGEST_LIST = 1700;

/** Own votes on the values of these profiles. */
export const votesOn = (urls: readonly string[]) =>
  queryOptions({
    queryKey: keys.votes(urls),
    queryFn: async ({ signal }) => {
      const portions = inPortions(urls.map(literal), LONGEST_LIST);
      const answers = await Promise.all(portions.map((portion) => savedVotes(portion, signal)));
      return answers.flat();
    },
    select: votesByValue,
    placeholderData: keepPreviousData,
  });

async function savedVotes(urls: string[], signal: AbortSignal): Promise<Feedback[]> {
  const query = { filter: `linkedin_url in (${urls.join(",")})`, fields: "linkedin_url,info,action,type" };
  return (await call<List<Feedback>>("GET", tablePath("contactfeedback"), { query, signal, contacts: true })).resource;
}

/** Saves votes: all of them count, or none. A new vote on the same value replaces the one before. */
export const useFeedback = () => useTableWrite("contactfeedback", { method: "POST" });
