/** Lists and writes of tables: `rows` gives query options, `useTableWrite` a mutation. */
import { type QueryClient, queryOptions, useQueryClient } from "@tanstack/react-query";
import { call, type Query } from "./client";
import { config } from "./config";
import { type Subject, invalidate, keys } from "./keys";
import { useMutation } from "./mutation";
import type { List, Proof, Tables } from "./types";

export interface ListOptions extends Query {
  fields?: string | undefined;
  filter?: string | undefined;
  order?: string | undefined;
  related?: string | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
  include_count?: boolean | undefined;
}

// Tables with contact values, which are encrypted in responses.
const WITH_CONTACTS = new Set<keyof Tables>(["usercontact", "contactfeedback"]);

export function tablePath(table: keyof Tables, id?: number): string {
  const path = `${config().dataset}/_table/${table}`;
  return id === undefined ? path : `${path}/${id}`;
}

/** Query options of one list. */
export function rows<Name extends keyof Tables>(table: Name, options: ListOptions = {}) {
  return queryOptions<List<Tables[Name]>>({
    queryKey: keys.table(table, options),
    queryFn: ({ signal }) => call("GET", tablePath(table), { query: options, signal, contacts: WITH_CONTACTS.has(table) }),
  });
}

interface WriteOptions {
  method: "POST" | "PATCH";
  /** The subjects that the write changes; by default the table. */
  stale?: readonly Subject[];
  /** Shows the records as written before the server has responded, and returns a function that reverts this. */
  ahead?: (queries: QueryClient, records: object[]) => () => void;
}

/** Changes the cached responses about a table, and returns a function that reverts this. */
export function patchCached<Data>(queries: QueryClient, table: keyof Tables, change: (data: Data) => Data): () => void {
  const before = queries.getQueriesData<Data>({ queryKey: [table] });
  for (const [key, data] of before) if (data !== undefined) queries.setQueryData(key, change(data));
  return () => {
    for (const [key, data] of before) queries.setQueryData(key, data);
  };
}

/** A mutation that writes one record or several and returns the stored records. */
export function useTableWrite<Row = unknown>(table: keyof Tables, { method, stale = [table], ahead }: WriteOptions) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (records: object | object[]) => {
      const list = await call<List<Row>>(method, tablePath(table), { body: { resource: [records].flat() } });
      return list.resource;
    },
    onMutate: async (records) => {
      if (!ahead) return undefined;
      await queries.cancelQueries({ queryKey: [table] });
      return ahead(queries, [records].flat());
    },
    onError: (_error, _records, takeBack) => takeBack?.(),
    onSuccess: () => invalidate(queries, stale),
  });
}

/** A mutation that writes one record, with a proof of the user. */
export function useProvedWrite<Row = unknown>(table: keyof Tables, { method, stale = [table] }: Omit<WriteOptions, "ahead">) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ record, proof }: { record: object; proof: Proof | null }) => {
      const list = await call<List<Row>>(method, tablePath(table), { body: { resource: [record], ...proof } });
      return list.resource;
    },
    onSuccess: () => invalidate(queries, stale),
  });
}

/** A mutation that deletes one row by its id. */
export function useTableDelete(table: keyof Tables, { stale = [table] }: { stale?: readonly Subject[] } = {}) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call<List<unknown>>("DELETE", tablePath(table, id)),
    onSuccess: () => invalidate(queries, stale),
  });
}

/** A value as a literal of the filter grammar. */
export function literal(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
