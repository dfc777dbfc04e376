/** The rows of a list of any length: pages by cursor, of which only the visible ones and the next one are kept. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { Params } from "../api/client";
import { PAGE_ROWS, list } from "../api/queries";
import { ask, tablePath } from "../api/client";
import type { Page, Row, TableInfo } from "../api/types";

interface Chain {
  key: string;
  /** Where each page begins; the first page has the empty cursor. */
  cursors: string[];
  /** Number of rows, once the last page was read. */
  total: number | null;
}

/** The metadata of a page that was read. */
interface Known {
  page: number;
  rows: number;
  next?: string;
}

export interface Rows {
  row: (index: number) => Row | undefined;
  /** The kept pages, in the order of their rows. */
  pages: Page[];
  /** The number of rows that can be scrolled to. */
  count: number;
  total: number | null;
  estimate: number | null;
  isPending: boolean;
  error: Error | null;
  retry: () => void;
}

/** The pages in view. */
export interface Window {
  first: number;
  last: number;
}

/** The pages of the visible rows. They change every hundred rows, which triggers new requests. */
export const pagesOf = ({ first, last }: { first: number; last: number }): Window => ({ first: Math.floor(Math.max(0, first) / PAGE_ROWS), last: Math.floor(Math.max(0, last) / PAGE_ROWS) });

const start = (key: string): Chain => ({ key, cursors: [""], total: null });

export function useRows(dataset: string, info: TableInfo, params: Params, { first, last }: Window): Rows {
  const key = JSON.stringify(params);
  const [state, setState] = useState<Chain>(() => start(key));
  const chain = state.key === key ? state : start(key);
  const hasCursor = info.primary_key.length > 0;

  const pages = useMemo(() => {
    const to = Math.min(chain.cursors.length - 1, last + 1);
    const begin = Math.min(first, to);
    return Array.from({ length: to - begin + 1 }, (_, offset) => begin + offset);
  }, [first, last, chain.cursors.length]);

  const results = useQueries({
    queries: pages.map((page) => {
      const place = hasCursor ? { cursor: chain.cursors[page] } : { offset: page * PAGE_ROWS };
      return list(dataset, info.name, { ...params, limit: PAGE_ROWS, ...place });
    }),
  });
  const loaded = new Map<number, Page>();
  results.forEach(({ data }, position) => {
    if (data) loaded.set(pages[position]!, data);
  });

  // Each page contains the cursor of the next one.
  const nextOf = ({ resource, meta }: Page) => (hasCursor ? meta?.next_cursor : resource.length === PAGE_ROWS ? "offset" : undefined);
  const signature = JSON.stringify([...loaded].map(([page, data]): Known => ({ page, rows: data.resource.length, next: nextOf(data) })));
  useEffect(() => {
    const read = JSON.parse(signature) as Known[];
    // oxlint-disable-next-line react/set-state-in-effect -- the chain follows what the server says, not a prop
    setState((before) => read.reduce(followed, before.key === key ? before : start(key)));
  }, [key, signature]);

  const estimate = useQuery({
    queryKey: ["rows", dataset, info.name, "estimate", params.filter],
    queryFn: async () =>
      (await ask<number>(tablePath(dataset, info.name), { params: { filter: params.filter, count_only: true, include_count: "estimated" } })).data,
  });

  const failed = results.find(({ isError, data }) => isError && !data);
  return {
    row: (index) => loaded.get(Math.floor(index / PAGE_ROWS))?.resource[index % PAGE_ROWS],
    pages: [...loaded.values()],
    count: chain.total ?? chain.cursors.length * PAGE_ROWS,
    total: chain.total,
    estimate: estimate.data ?? null,
    isPending: results[0]?.isPending === true && !failed,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

/** Follows a page to its next one. Pages after a changed cursor are read again from there. */
function followed(chain: Chain, { page, rows, next }: Known): Chain {
  if (page >= chain.cursors.length) return chain;
  if (next === undefined) {
    const total = page * PAGE_ROWS + rows;
    return chain.total === total && chain.cursors.length === page + 1 ? chain : { ...chain, total, cursors: chain.cursors.slice(0, page + 1) };
  }
  if (chain.cursors[page + 1] === next) return chain;
  return { ...chain, total: null, cursors: [...chain.cursors.slice(0, page + 1), next] };
}
