/** Pages of a list. Pure. */

export const PAGE_SIZES = [25, 50, 100] as const;
export type PageSize = (typeof PAGE_SIZES)[number];

/** The page size of an address: 25 by default, 100 for a size that is not offered. */
export function pageSize(text: string | null): PageSize {
  if (text === null) return 25;
  return PAGE_SIZES.find((size) => String(size) === text) ?? 100;
}

/** A page number from text: at least 1. */
export function pageNumber(text: string | null): number {
  const page = Number(text);
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}

/** The largest offset that the server takes. */
export const MAX_OFFSET = 100_000;

/** The same page counted from the end of the list, in the opposite order; null when it is too far from the end as well. */
export function fromEnd(page: { offset: number; limit: number }, count: number): { offset: number; limit: number } | null {
  const limit = Math.max(0, Math.min(page.limit, count - page.offset));
  const offset = Math.max(0, count - page.offset - limit);
  return offset > MAX_OFFSET ? null : { offset, limit };
}

export function lastPage(count: number, size: number): number {
  return Math.max(1, Math.ceil(count / size));
}
