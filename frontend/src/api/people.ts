/** The directory: searches of people and companies, the price of many reveals, saved searches and lists. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";
import type { CompanyFilters, Field, PeopleFilters } from "../domain/peoplefilter";
import { call } from "./client";
import { STALE, invalidate, keys } from "./keys";
import { useMutation } from "./mutation";
import { type Input, runScript } from "./scripts";
import { literal, rows } from "./tables";
import type { Balances, RevealType } from "./types";

/** A person in a list: name, job and the kinds of data that exist, never a value. */
export interface Known {
  linkedinurl: string;
  full_name: string;
  title: string;
  company: string;
  country: string;
  city: string;
  has: RevealType[];
  owned: RevealType[];
  owned_by?: { kind: RevealType; name: string | null; on: string; contactid: number }[];
}

/** A person in the results of a search. */
export interface Match extends Known {
  company_domain: string;
  industry: string;
  company_size: string;
}

/** A person on a list, with the notes of its readers. */
export interface Listed extends Known {
  itemid: number;
  tags: string[];
  note: string;
  addedby: string | null;
  createdon: string;
}

/** The contact with the values that the account has revealed of a person; 0 without one. */
export const contactIdOf = ({ owned_by }: Pick<Known, "owned_by">): number => owned_by?.[0]?.contactid ?? 0;

export interface CompanyMatch {
  company: string;
  company_domain: string;
  people: number;
  countries: string[];
  industry: string;
  company_size: string;
  functions?: Record<string, number>;
}

export interface Found<Row> {
  meta: { count: number; estimated: boolean; next: string | null };
  resource: Row[];
}

export const PAGE = 25;
/** The maximum that one call reveals. */
export const MOST_REVEALED = 100;

/** The body of a search for its first rows. */
export const firstPage = <Filters extends object>(filters: Filters) => ({ ...filters, limit: PAGE });

const pages = <Row>(path: "searchpeople" | "searchcompanies", filters: object) =>
  infiniteQueryOptions({
    queryKey: [path, filters] as const,
    queryFn: ({ signal, pageParam }) => call<Found<Row>>("POST", path, { body: { ...firstPage(filters), ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: "",
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
    staleTime: 60_000,
  });

export const people = (filters: PeopleFilters) => pages<Match>("searchpeople", filters);
export const companies = (filters: CompanyFilters) => pages<CompanyMatch>("searchcompanies", filters);

/** The values of a filter that contain a text, with the number of people or companies that the other filters match. */
export const facet = (field: Field, text: string, search: { people: PeopleFilters } | { companies: CompanyFilters }) =>
  queryOptions({
    queryKey: ["searchfacets", field, text, search] as const,
    queryFn: ({ signal }) => runScript("searchfacets", { field, text, ...search } as Input<"searchfacets">, { signal }),
    staleTime: 300_000,
    placeholderData: keepPreviousData,
  });

/** Some people by their addresses, or the first of a search. */
export type Chosen = { linkedinurls: string[] } | { search: PeopleFilters; first: number };

export type Purchase = Chosen & { kinds: RevealType[] };

export interface Bought {
  price: number;
  charged: number;
  credits: Balances;
  resource: { linkedinurl: string; contactid: number | null; charged: number; status: string }[];
}

/** The price of revealing many people. Reveals nothing. */
export const priceOf = (purchase: Purchase) =>
  queryOptions({
    queryKey: keys.revealPrice(purchase),
    queryFn: ({ signal }) => call<Bought>("POST", "revealmany", { body: { ...purchase, dry_run: true }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

export function useRevealMany() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (purchase: Purchase & { max_credits: number }) => call<Bought>("POST", "revealmany", { body: purchase }),
    onSuccess: () => invalidate(queries, [...STALE.reveal, "searchurl"]),
  });
}

export const savedSearches = (kind: "people" | "companies") => rows("savedsearch", { filter: `(kind='${kind}')`, order: "createdon DESC" });

/** The number of people added since each saved search was last opened. */
export const searchNews = queryOptions({
  queryKey: ["searchnews"],
  queryFn: async ({ signal }) => (await call<{ resource: { savedsearchid: number; new: number }[] }>("POST", "searchnews", { body: {}, signal })).resource,
  retry: false,
  staleTime: 300_000,
});

export const markSeen = (savedsearchid: number) => call("POST", "searchnews", { body: { seen: savedsearchid } });

/** The lists with the number of their people. */
export const contactLists = rows("contactlist", { fields: "*,contactlistitem_by_clientid_listid.COUNT(*) AS people", order: "name ASC" });

/** The part of a list that is shown. */
export type ListPart = Omit<Input<"listpeople">, "limit" | "offset">;

export const listPeople = ({ page, size, ...part }: ListPart & { page: number; size: number }) =>
  queryOptions({
    queryKey: ["listpeople", part, page, size] as const,
    queryFn: async ({ signal }) => (await runScript("listpeople", { ...part, limit: size, offset: (page - 1) * size }, { signal })) as { meta: { count: number }; resource: Listed[] },
    placeholderData: keepPreviousData,
  });

/** The lists that a person is on. */
export const listsOf = (linkedinurl: string) => rows("contactlistitem", { filter: `(linkedinurl=${literal(linkedinurl)})`, fields: "itemid,listid" });
