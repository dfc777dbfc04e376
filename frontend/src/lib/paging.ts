/** Pages of a list. Pure. */

export const PAGE_SIZES = [25, 50, 100] as const;
export type PageSize = (typeof PAGE_SIZES)[number];

/** Nothing said: 25. A size that is not offered: 100. */
export function pageSize(text: string | null): PageSize {
  if (text === null) return 25;
  return PAGE_SIZES.find((size) => String(size) === text) ?? 100;
}

/** A page number from text: at least 1. */
export function pageNumber(text: string | null): number {
  const page = Number(text);
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}

export function lastPage(count: number, size: number): number {
  return Math.max(1, Math.ceil(count / size));
}
