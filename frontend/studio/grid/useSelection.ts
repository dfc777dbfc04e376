/** The selected rows, by their identifiers. The selection survives scrolling. */
import { useCallback, useRef, useState } from "react";
import type { Row, TableInfo } from "../api/types";
import { idOf } from "../lib/format";

export type Selected = ReadonlyMap<string, Row>;

const NONE: Selected = new Map();

/** `asked` identifies the list: another list starts without a selection. */
export function useSelection(info: TableInfo, asked: string, rowAt: (index: number) => Row | undefined) {
  const [state, setState] = useState<{ asked: string; selected: Selected }>({ asked, selected: NONE });
  const selected = state.asked === asked ? state.selected : NONE;
  const last = useRef(0);

  const put = useCallback((next: Selected) => setState({ asked, selected: next }), [asked]);

  function add(next: Map<string, Row>, index: number): void {
    const row = rowAt(index);
    const id = row && idOf(info, row);
    if (row && id) next.set(id, row);
  }

  /** Toggles a row; with `extend`, selects all rows from the previous one to this one. */
  function toggle(index: number, extend: boolean): void {
    const next = new Map(selected);
    const row = rowAt(index);
    const id = row && idOf(info, row);
    if (!id) return;
    if (extend) {
      const [from, to] = [Math.min(last.current, index), Math.max(last.current, index)];
      for (let at = from; at <= to; at += 1) add(next, at);
    } else if (!next.delete(id)) next.set(id, row);
    last.current = index;
    put(next);
  }

  function toggleAll(rows: readonly Row[]): void {
    const next = new Map<string, Row>();
    for (const row of rows) {
      const id = idOf(info, row);
      if (id) next.set(id, row);
    }
    put([...next.keys()].every((id) => selected.has(id)) ? NONE : next);
  }

  return { selected, toggle, toggleAll, clear: () => put(NONE) };
}
