/** Contacts: the search by profile, the reveal, the personal list and the votes. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { MOST_OFFSET, fromEnd } from "../lib/paging";
import { type ContactFilter, type ContactOrder, NEWEST_FIRST, ORDERS, contactFilter } from "../domain/contactfilter";
import { inPortions, votesByValue } from "../domain/votes";
import { call } from "./client";
import { type ListOptions, literal, rows, tablePath, useTableWrite } from "./tables";
import type { Feedback, List, UserContact } from "./types";
import { type Input, runScript, useScript } from "./scripts";

/** What was asked, and the how manieth search it is: the same question again is a new search. */
export type Asked = Input<"searchurl"> & { run: number };

export const searchContact = ({ run, ...input }: Asked) =>
  queryOptions({
    queryKey: ["searchurl", input, run] as const,
    queryFn: async ({ signal }) => (await runScript("searchurl", input, { signal, contacts: true })).data,
    // Revealed values are put into this answer; it must not be asked for behind the reader's back.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** The balances come with the answer, so the account is not asked again. */
export const useReveal = () => useScript("getcontact", { touches: ["usercontact", "searchname"], contacts: true });

interface Page {
  page: number;
  size: number;
  text: string;
  order?: ContactOrder | undefined;
  filter?: ContactFilter | undefined;
}

/** One page of the personal list: all of it, or what matches a text and the filters. */
export function myContacts({ page, size, text, order = NEWEST_FIRST, filter = {} }: Page) {
  const limit = size;
  const offset = (page - 1) * size;
  return queryOptions({
    ...pageOf({ limit, offset }, text, order, filter),
    placeholderData: keepPreviousData,
  } as ReturnType<typeof all>);
}

function pageOf(page: { limit: number; offset: number }, text: string, order: ContactOrder, filter: ContactFilter) {
  const isPlain = order === NEWEST_FIRST && contactFilter(filter) === undefined;
  // The search by name has an index of its own; filters and other orders are the table's.
  if (isPlain && text) return byName({ ...page, searchtext: text });
  if (isPlain && page.offset > MOST_OFFSET) return far(page);
  const condition = contactFilter({ ...filter, text });
  return all({ ...page, order: ORDERS[order], ...(condition && { filter: condition }) });
}

/** One contact of the list by its id, whatever page is shown. */
export const oneContact = (contactid: number) =>
  queryOptions({
    queryKey: ["usercontact", "one", contactid] as const,
    queryFn: async ({ signal }) => {
      const query = { filter: `(contactid=${contactid})` };
      const { resource } = await call<List<UserContact>>("GET", tablePath("usercontact"), { query, signal, contacts: true });
      return resource[0] ?? null;
    },
  });

/** Title, company and country of a person, and which values are verified. Free of charge. */
export const personOf = (linkedinurl: string) =>
  queryOptions({
    queryKey: ["searchurl", "person", linkedinurl] as const,
    queryFn: async ({ signal }) => {
      const input = { linkedinurl, phone: true, business: true, personal: true };
      return (await runScript("searchurl", input, { signal, contacts: true })).data[0] ?? null;
    },
    staleTime: 60_000,
  });

/** The page is in the middle of a list so long that only a search leads there. */
export class TooFar extends Error {}

const all = (page: ListOptions) => rows("usercontact", { order: "createdon DESC", include_count: true, ...page });

/** A page that the server does not leaf to from the beginning: read from the end, in the opposite order. */
const far = (page: { limit: number; offset: number }) =>
  queryOptions({
    queryKey: ["usercontact", "far", page] as const,
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
    queryKey: ["searchname", input] as const,
    queryFn: ({ signal }) => runScript("searchname", input, { signal, contacts: true }),
  });

// The server takes filters of 2,000 characters.
const LONGEST_LIST = 1700;

/** Own votes on the values of these profiles. */
export const votesOn = (urls: readonly string[]) =>
  queryOptions({
    queryKey: ["contactfeedback", urls] as const,
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

/** The caller's own tags and note on a contact. */
export const metaOf = (contactid: number) => rows("contactmeta", { filter: `(contactid=${contactid})` });

/** Replaces tags and note of a contact. */
export const useKeepMeta = () => useScript("contactmeta_addupdate", { touches: ["contactmeta"] });

/** Saves votes: all of them count, or none. A new vote on the same value replaces the one before. */
export const useFeedback = () => useTableWrite("contactfeedback", { method: "POST" });
