/**
 * The state of the list, kept in the address: search text, page, size, order, filters, columns, density, the open
 * contact.
 */
import { useCallback, useLayoutEffect, useMemo, useRef } from "react";
import { useSearchParams } from "react-router";
import { useAccount } from "../../api/account";
import type { UserContact } from "../../api/types";
import { type ContactFilter, type ContactOrder, NEWEST_FIRST, isOrder } from "../../domain/contactfilter";
import { daysAgo } from "../../lib/dates";
import { type PageSize, pageNumber, pageSize } from "../../lib/paging";

export interface ListParams {
  page: number;
  size: PageSize;
  text: string;
  order: ContactOrder;
  phone: boolean;
  email: boolean;
  personal: boolean;
  verified: boolean;
  /** A member of the team, or all members; 0 for the user's own list. */
  by: number | typeof TEAM;
  /** An own tag; empty for all. */
  tag: string;
  /** Days before today; 0 for all. */
  days: number;
  /** Keys of hidden columns. */
  hide: string[];
  /** One value of each kind per row, not up to three. */
  compact: boolean;
  /** The contact in the drawer; 0 for none. */
  contact: number;
}

export const TEAM = "team";

const FLAGS = ["phone", "email", "personal", "verified", "compact"] as const;

const count = (text: string | null): number => (/^\d{1,15}$/.test(text ?? "") ? Number(text) : 0);

export function readList(params: URLSearchParams): ListParams {
  const order = params.get("order");
  const is = (name: string) => params.get(name) === "1";
  return {
    page: pageNumber(params.get("page")),
    size: pageSize(params.get("size")),
    text: params.get("search") ?? "",
    order: isOrder(order) ? order : NEWEST_FIRST,
    phone: is("phone"),
    email: is("email"),
    personal: is("personal"),
    verified: is("verified"),
    by: params.get("by") === TEAM ? TEAM : count(params.get("by")),
    tag: params.get("tag") ?? "",
    days: count(params.get("days")),
    hide: params.get("hide")?.split(",").filter(Boolean) ?? [],
    compact: is("compact"),
    contact: count(params.get("contact")),
  };
}

function written(list: ListParams): Record<string, string> {
  return {
    ...(list.text && { search: list.text }),
    ...(list.page > 1 && { page: String(list.page) }),
    ...(list.size !== 25 && { size: String(list.size) }),
    ...(list.order !== NEWEST_FIRST && { order: list.order }),
    ...Object.fromEntries(FLAGS.filter((flag) => list[flag]).map((flag) => [flag, "1"])),
    ...(list.by !== 0 && { by: String(list.by) }),
    ...(list.tag && { tag: list.tag }),
    ...(list.days > 0 && { days: String(list.days) }),
    ...(list.hide.length > 0 && { hide: list.hide.join(",") }),
    ...(list.contact > 0 && { contact: String(list.contact) }),
  };
}

export type ChangeList = (change: Partial<ListParams>) => void;

export function useListParams(): [ListParams, ChangeList] {
  const [params, setParams] = useSearchParams();
  const now = useMemo(() => readList(params), [params]);
  // The same function on every render, because it is passed to memoised components.
  const set = useRef(setParams);
  useLayoutEffect(() => {
    set.current = setParams;
  });
  const change: ChangeList = useCallback(
    (part) =>
      // Based on the current address, because a debounced search must not restore an older page.
      set.current((old) => written({ ...readList(old), ...part }), {
        replace: part.text !== undefined || part.contact === 0,
        preventScrollReset: true,
      }),
    [],
  );
  return [now, change];
}

/** The conditions of the list, without its text. `client` is the account of the user. */
export function filterOf({ text, phone, email, personal, verified, by, tag, days }: ListParams, client: number): ContactFilter {
  const whose = by === TEAM ? { client } : { by: by || undefined };
  return { work: text !== "" || undefined, phone, email, personal, verified, ...whose, tag: tag || undefined, since: days > 0 ? daysAgo(days - 1) : undefined };
}

/** Whether a row is on the user's own list: on a colleague's list, only rows revealed by both are. */
export function useIsMine({ by }: ListParams): (row: UserContact) => boolean {
  const { appuserid } = useAccount();
  return useCallback(
    ({ revealedby, dialrevealedby }) => by === 0 || revealedby === appuserid || dialrevealedby === appuserid,
    [by, appuserid],
  );
}

export const isFiltered = ({ text, phone, email, personal, verified, by, tag, days }: ListParams): boolean =>
  Boolean(text || phone || email || personal || verified || by || tag || days);

export const NO_FILTER = { text: "", phone: false, email: false, personal: false, verified: false, by: 0, tag: "", days: 0, page: 1 } as const;
