/** Builds the request from the address: rows, order and columns. */
import type { Params } from "../api/client";
import type { Field, TableInfo } from "../api/types";
import { nameOf, quoted } from "../filter/tree";
import { isNumber, isText, widthOf } from "./format";

export interface Listing {
  /** Text of the filter in the address. */
  filter: string;
  /** Text of the search box. */
  search: string;
  order: Sort | null;
  /** Columns in the order in which they are shown. */
  columns: Column[];
  /** Whether columns were chosen, so that a request names them. */
  isChosen: boolean;
}

export interface Column {
  field: Field;
  width: number;
}

export interface Sort {
  name: string;
  descending: boolean;
}

const MAX_SEARCHED = 8;
export const MIN_WIDTH = 64;
export const MAX_WIDTH = 800;

const split = (text: string | null): string[] => (text ? text.split(",").map(decodeURIComponent) : []);
export const joined = (names: readonly string[]): string => names.map(encodeURIComponent).join(",");

function safely<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

export function readSort(text: string | null): Sort | null {
  if (!text) return null;
  return text.startsWith("-") ? { name: text.slice(1), descending: true } : { name: text, descending: false };
}

export function readListing(info: TableInfo, params: URLSearchParams): Listing {
  const byName = new Map(info.field.map((field) => [field.name, field]));
  const named = safely(() => split(params.get("columns")), []).flatMap((name) => byName.get(name) ?? []);
  const widths = new Map(safely(() => split(params.get("widths")), []).map((part) => part.split(":") as [string, string]));
  const widthFor = (field: Field): number => {
    const width = Number(widths.get(field.name));
    return Number.isFinite(width) && width > 0 ? Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)) : widthOf(field);
  };
  const order = readSort(params.get("order"));
  return {
    filter: params.get("filter") ?? "",
    search: params.get("search") ?? "",
    order: order && byName.has(order.name) ? order : null,
    columns: (named.length > 0 ? named : info.field).map((field) => ({ field, width: widthFor(field) })),
    isChosen: named.length > 0,
  };
}

/** The filter of the search box: any text column contains the text, or a key equals it. */
export function searchFilter(info: TableInfo, search: string): string {
  const text = search.trim();
  if (!text) return "";
  const like = quoted(`%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  const open = info.field.filter((field) => !field.sealed);
  const parts = open.filter(isText).slice(0, MAX_SEARCHED).map((field) => `${nameOf(field.name)} ILIKE ${like}`);
  if (/^\d{1,9}$/.test(text)) {
    parts.push(...open.filter((field) => field.is_primary_key && isNumber(field)).map((field) => `${nameOf(field.name)} = ${text}`));
  }
  return parts.join(" OR ");
}

export function wholeFilter(info: TableInfo, { filter, search }: Pick<Listing, "filter" | "search">): string {
  const parts = [filter.trim(), searchFilter(info, search)].filter(Boolean);
  return parts.length > 1 ? parts.map((part) => `(${part})`).join(" AND ") : (parts[0] ?? "");
}

export function orderText(sort: Sort | null): string | undefined {
  return sort ? `${nameOf(sort.name)}${sort.descending ? " desc" : ""}` : undefined;
}

/** The request options for the current view, without those of a page. */
export function paramsOf(info: TableInfo, listing: Listing): Params {
  const names = [...new Set([...info.primary_key, ...listing.columns.map(({ field }) => field.name)])];
  return {
    fields: listing.isChosen ? names.map(nameOf).join(",") : undefined,
    filter: wholeFilter(info, listing) || undefined,
    order: orderText(listing.order),
  };
}
