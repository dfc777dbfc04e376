/** The names of the records that foreign keys refer to: one request for each column and page of rows. */
import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { list, tableInfo } from "../api/queries";
import type { Field, Json, Page, Row, TableInfo } from "../api/types";
import { nameOf, quoted } from "../filter/tree";
import { nameFields, nameIn, shown } from "../lib/format";

/** Names by key, by the column that holds the key. */
export type Names = ReadonlyMap<string, ReadonlyMap<string, string>>;

// Further columns show keys, because each column costs a request per page.
const MAX_COLUMNS = 8;

/** The request that finds the names of some records; null where the table has no names or the caller may not read it.
 */
export function namesRequest(target: TableInfo | undefined, field: Field, keys: readonly string[]) {
  const fields = target ? nameFields(target) : [];
  const key = field.ref_field;
  if (!target || !key || keys.length === 0 || !target.access.includes("GET") || target.primary_key.join() !== key) return null;
  const named = fields.filter(({ name }) => name !== key);
  if (named.length === 0) return null;
  const params = { fields: [key, ...named.map(({ name }) => name)].map(nameOf).join(","), filter: `${nameOf(key)} IN (${keys.map(quoted).join(", ")})`, limit: keys.length };
  return { target, key, named, params };
}

const present = (value: Json | undefined): boolean => value !== null && value !== undefined;

export function useNames(dataset: string, fields: readonly Field[], pages: readonly Page[]): Names {
  const columns = useMemo(() => fields.filter(({ ref_table }) => ref_table !== null).slice(0, MAX_COLUMNS), [fields]);
  const infos = useQueries({ queries: columns.map(({ ref_table }) => tableInfo(dataset, ref_table!)) });
  const wanted = columns.flatMap((field, index) =>
    pages.flatMap((page) => {
      const keys = keysOf(page, field.name);
      const request = namesRequest(infos[index]?.data, field, keys);
      return request ? [{ ...request, column: field.name }] : [];
    }),
  );
  const found = useQueries({ queries: wanted.map(({ target, params }) => list(dataset, target.name, params)) });
  const stamp = found.map(({ dataUpdatedAt }, index) => `${wanted[index]!.column}${wanted[index]!.params.filter}${dataUpdatedAt}`).join();
  return useMemo(() => {
    const names = new Map<string, Map<string, string>>();
    found.forEach(({ data }, index) => {
      const { column, key, named } = wanted[index]!;
      const known = names.get(column) ?? new Map<string, string>();
      for (const row of data?.resource ?? []) known.set(shown(row[key]), nameIn(named, row));
      names.set(column, known);
    });
    return names;
    // oxlint-disable-next-line react/exhaustive-deps -- the stamp says when any of them has changed
  }, [stamp]);
}

/** The name of the record that a value refers to; null until it is known. */
export function useName(dataset: string, field: Field, value: string): string | null {
  const page = useMemo((): Page[] => (value === "" ? [] : [{ resource: [{ [field.name]: value } as Row] }]), [field.name, value]);
  const fields = useMemo(() => [field], [field]);
  return useNames(dataset, fields, page).get(field.name)?.get(value) || null;
}

// Every frame of a scroll needs the keys of each page.
const keys = new WeakMap<Page, Map<string, string[]>>();

function keysOf(page: Page, column: string): string[] {
  const known = keys.get(page) ?? new Map<string, string[]>();
  keys.set(page, known);
  const before = known.get(column);
  if (before) return before;
  const found = [...new Set(page.resource.map((row) => row[column]).filter(present).map(shown))].toSorted();
  known.set(column, found);
  return found;
}
