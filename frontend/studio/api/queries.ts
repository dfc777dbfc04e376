/** The requests of the page, with their keys in the query cache. */
import { type QueryClient, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Answer, ApiError, type Params, ask, recordPath, segment, tablePath } from "./client";
import type { ModelTable, Page, Row, TableInfo, TableLine, WebhookState } from "./types";

export const PAGE_ROWS = 100;
const SCHEMA_MS = 300_000;
const UNUSED_PAGE_MS = 60_000;

export interface Config {
  appkey?: string;
  /** The address of the documentation; empty where the server has none. */
  docsurl?: string;
}

/** Settings that a server shows to every client; a project puts its public app key into them. */
export const config = () =>
  queryOptions({ queryKey: ["config"], queryFn: async () => (await ask<Config>("config")).data, staleTime: Infinity, retry: false });

export const datasets = () =>
  queryOptions({
    queryKey: ["datasets"],
    queryFn: async () => (await ask<{ resource: { name: string }[] }>("system/service")).data.resource.map(({ name }) => name),
    staleTime: SCHEMA_MS,
    retry: false,
  });

export const tables = (dataset: string) =>
  queryOptions({
    queryKey: ["tables", dataset],
    queryFn: async () => (await ask<{ resource: TableLine[] }>(`${segment(dataset)}/_spec`, { params: { outline: true } })).data.resource,
    staleTime: SCHEMA_MS,
  });

export const tableInfo = (dataset: string, table: string) =>
  queryOptions({
    queryKey: ["table", dataset, table],
    queryFn: async () =>
      (await ask<TableInfo>(`${segment(dataset)}/_spec`, { params: { outline: true, resource_name: table } })).data,
    staleTime: SCHEMA_MS,
  });

export const model = (dataset: string) =>
  queryOptions({
    queryKey: ["model", dataset],
    queryFn: async () => (await ask<{ tables: ModelTable[] }>(`${segment(dataset)}/_spec`, { params: { model: true } })).data.tables,
    staleTime: SCHEMA_MS,
  });

/** The webhooks of a database; an empty list for callers without full rights. */
export const webhooks = (dataset: string) =>
  queryOptions({
    queryKey: ["webhooks", dataset],
    queryFn: async (): Promise<WebhookState[]> => {
      try {
        return (await ask<{ resource: WebhookState[] }>(`${segment(dataset)}/_webhooks`)).data.resource;
      } catch (error) {
        if (error instanceof ApiError && error.status >= 400 && error.status < 500) return [];
        throw error;
      }
    },
    enabled: dataset !== "",
    retry: false,
  });

export const list = (dataset: string, table: string, params: Params, { previous = false } = {}) =>
  queryOptions({
    queryKey: ["rows", dataset, table, params],
    queryFn: async ({ signal }) => (await ask<Page>(tablePath(dataset, table), { params, signal })).data,
    gcTime: UNUSED_PAGE_MS,
    staleTime: UNUSED_PAGE_MS,
    placeholderData: previous ? keepPreviousData : undefined,
  });

export const record = (dataset: string, table: string, id: string) =>
  queryOptions({
    queryKey: ["record", dataset, table, id],
    queryFn: async (): Promise<Answer<Row>> => ask<Row>(recordPath(dataset, table, id)),
    staleTime: 0,
    gcTime: UNUSED_PAGE_MS,
  });

/** Drops what a write may have changed: rows and records of the dataset. */
export async function written(client: QueryClient, dataset: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ["rows", dataset] }),
    client.invalidateQueries({ queryKey: ["record", dataset] }),
  ]);
}
