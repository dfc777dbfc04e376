/** The ticked rows of a list by key, kept while rows are loaded or filtered. */
import { useState } from "react";

export interface Picked<Row> {
  keys: string[];
  has: (row: Row) => boolean;
  set: (rows: readonly Row[], on: boolean) => void;
  /** Ticks the rows; unticks them if all are ticked. */
  toggleAll: (rows: readonly Row[]) => void;
  pick: (keys: readonly string[]) => void;
  clear: () => void;
}

const NONE: ReadonlySet<string> = new Set();

export function usePicked<Row>(keyOf: (row: Row) => string): Picked<Row> {
  const [picked, setPicked] = useState(NONE);
  const set = (rows: readonly Row[], on: boolean) =>
    setPicked((old) => {
      const next = new Set(old);
      for (const row of rows) {
        if (on) next.add(keyOf(row));
        else next.delete(keyOf(row));
      }
      return next;
    });
  return {
    keys: [...picked],
    has: (row) => picked.has(keyOf(row)),
    set,
    toggleAll: (rows) => set(rows, rows.some((row) => !picked.has(keyOf(row)))),
    pick: (keys) => setPicked(new Set(keys)),
    clear: () => setPicked(NONE),
  };
}
