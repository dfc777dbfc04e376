/** Contacts: the search by profile, the reveal, the personal list and the votes. */
import { keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";
import { MAX_OFFSET, fromEnd } from "../lib/paging";
import { type ContactFilter, type ContactOrder, NEWEST_FIRST, ORDERS, contactFilter } from "../domain/contactfilter";
import { inPortions, votesByValue } from "../domain/votes";
import { call } from "./client";
import { STALE, invalidate, keys } from "./keys";
import { type ContactsPage, contactsPage } from "./lists";
import { useMutation } from "./mutation";
import { type ListOptions, literal, rows, tablePath, patchCached, useTableWrite } from "./tables";
import type { ContactMeta, Feedback, List, UserContact } from "./types";
import { type Input, runScript, useScript } from "./scripts";

/** The input of a search and its number: the same input again is a new search. */
export type Asked = Input<"searchurl"> & { run: number };

export const searchContact = ({ run, ...input }: Asked) =>
  queryOptions({
    queryKey: keys.contactSearch(input, run),
    queryFn: async ({ signal }) => (await runScript("searchurl", input, { signal, contacts: true })).data,
    // Revealed values are written into this entry, so it must not be refetched.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** The response carries the balances, so the account is not refetched. */
export const useReveal = () => useScript("getcontact", { stale: STALE.reveal, contacts: true });

interface Page {
  page: number;
  size: number;
  text: string;
  order?: ContactOrder | undefined;
  filter?: ContactFilter | undefined;
}

/** One page of the personal list, of all contacts or of those that match a text and the filters. */
export function myContacts({ page, size, text, order = NEWEST_FIRST, filter = {} }: Page) {
  return queryOptions({ ...pageOf({ limit: size, offset: (page - 1) * size }, text, order, filter), placeholderData: keepPreviousData });
}

function pageOf(page: { limit: number; offset: number }, text: string, order: ContactOrder, filter: ContactFilter) {
  const isPlain = order === NEWEST_FIRST && !filter.work && contactFilter(filter) === undefined;
  // The name search has its own index; filters and other orders use the table.
  if (isPlain && text) return byName({ ...page, searchtext: text });
  if (isPlain && page.offset > MAX_OFFSET) return far(page);
  const condition = contactFilter({ ...filter, text });
  return all({ ...page, order: ORDERS[order], filter: condition });
}

/** The query of the shown list, without a page. */
export const contactsQuery = ({ size, text, order = NEWEST_FIRST, filter = {} }: Omit<Page, "page">) => ({ filter: contactFilter({ ...filter, text }), order: ORDERS[order], limit: size });

/** One contact by its id, independent of the displayed page: from the user's own list, or from the account's. */
export const oneContact = (contactid: number, client?: number) =>
  queryOptions({
    queryKey: keys.contact(contactid),
    queryFn: async ({ signal }) => {
      const query = { filter: [`(contactid=${contactid})`, contactFilter({ client })].filter(Boolean).join(" and ") };
      const { resource } = await call<List<UserContact>>("GET", tablePath("usercontact"), { query, signal, contacts: true });
      return resource[0] ?? null;
    },
  });

/** Contacts by their ids, at most as many as fit into a filter: of the user's own list, or of the account's. */
export const contactsById = (ids: readonly number[], client?: number) => ({
  ...rows("usercontact", { filter: [contactFilter({ client }), `(contactid in (${ids.join(",")}))`].filter(Boolean).join(" and "), limit: ids.length }),
  enabled: ids.length > 0,
  placeholderData: keepPreviousData,
});

const FEW = 4;

/** The latest revealed people of a company: of the user's own list, or of the account's. */
export const revealedAt = (company: string, client?: number) =>
  rows("usercontact", { filter: contactFilter({ company, client, present: true }), order: ORDERS[NEWEST_FIRST], limit: FEW, include_count: true });

/** Title, company and country of a person, and which values are verified. Free of charge. */
export const personOf = (linkedinurl: string) =>
  queryOptions({
    queryKey: keys.person(linkedinurl),
    queryFn: async ({ signal }) => {
      const input = { linkedinurl, phone: true, business: true, personal: true };
      return (await runScript("searchurl", input, { signal, contacts: true })).data[0] ?? null;
    },
    staleTime: 60_000,
  });

/** The page is too far from both ends of the list to be read by offset. */
export class TooFar extends Error {}

const all = (page: ContactsPage) => rows("usercontact", contactsPage(page));

/** A page beyond the largest offset, read from the end of the list in the opposite order. */
const far = (page: { limit: number; offset: number }) =>
  queryOptions<List<UserContact>>({
    queryKey: keys.contactsFromEnd(page),
    queryFn: async ({ signal }) => {
      const list = (query: ListOptions) =>
        call<List<UserContact>>("GET", tablePath("usercontact"), { query: { include_count: true, ...query }, signal, contacts: true });
      const count = (await list({ limit: 1, offset: 0 })).meta?.count ?? 0;
      const place = fromEnd(page, count);
      if (!place) throw new TooFar();
      if (place.limit === 0) return { resource: [], meta: { count } };
      const reversed = await list({ order: "createdon ASC,contactid DESC", ...place });
      return { ...reversed, resource: reversed.resource.toReversed() };
    },
  });

const byName = (input: Input<"searchname">) =>
  queryOptions<List<UserContact>>({
    queryKey: keys.contactsByName(input),
    queryFn: ({ signal }) => runScript("searchname", input, { signal, contacts: true }),
  });

// The server takes filters of 2,000 characters.
const MAX_LIST_CHARACTERS = 1700;

/** Own votes on the values of these profiles. */
export const votesOn = (urls: readonly string[]) =>
  queryOptions({
    queryKey: keys.votes(urls),
    queryFn: async ({ signal }) => {
      const portions = inPortions(urls.map(literal), MAX_LIST_CHARACTERS);
      const lists = await Promise.all(portions.map((portion) => savedVotes(portion, signal)));
      return lists.flat();
    },
    select: votesByValue,
    placeholderData: keepPreviousData,
  });

async function savedVotes(urls: string[], signal: AbortSignal): Promise<Feedback[]> {
  const query = { filter: `linkedin_url in (${urls.join(",")})`, fields: "linkedin_url,info,action,type" };
  return (await call<List<Feedback>>("GET", tablePath("contactfeedback"), { query, signal, contacts: true })).resource;
}

/** The user's own tags and note on a contact. */
export const metaOf = (contactid: number) => rows("contactmeta", { filter: `(contactid=${contactid})` });

const MAX_TAGGED = 1000;

/** Every tag that the user has given, by name. */
export const myTags = queryOptions({
  ...rows("contactmeta", { fields: "tags", filter: "(tags <> '{}')", limit: MAX_TAGGED }),
  select: ({ resource }) => [...new Set(resource.flatMap(({ tags }) => tags))].toSorted((one, other) => one.localeCompare(other)),
});

/** Replaces tags and note of a contact, shown before the server has answered. A list that is filtered by a tag may change. */
export function useKeepMeta({ contactid }: Pick<ContactMeta, "contactid">) {
  const queries = useQueryClient();
  const { queryKey } = metaOf(contactid);
  return useMutation({
    // One after the other: a later change contains the earlier one.
    scope: { id: `contactmeta ${contactid}` },
    mutationFn: (meta: Omit<ContactMeta, "contactid">) => runScript("contactmeta_addupdate", { contactid, ...meta }),
    onMutate: async (meta) => {
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueryData(queryKey);
      queries.setQueryData(queryKey, { resource: [{ contactid, ...meta }] });
      return before;
    },
    onError: (_error, _meta, before) => queries.setQueryData(queryKey, before),
    onSuccess: () => invalidate(queries, ["contactmeta", "usercontact"]),
  });
}

/** Marks a contact as removed. The server keeps the mark, so it is sent once it can no longer be undone. */
export function useRemoveContact() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (contactid: number) =>
      call("PATCH", tablePath("usercontact", contactid), { body: { deleted: 1 }, keepalive: true }),
    onSuccess: () => invalidate(queries, STALE.reveal),
  });
}

/** Saves votes, all or none. A new vote on a value replaces the previous one. */
export const useFeedback = () =>
  useTableWrite("contactfeedback", {
    method: "POST",
    ahead: (queries, votes) => patchCached<Feedback[]>(queries, "contactfeedback", (saved) => [...saved, ...(votes as Feedback[])]),
  });
