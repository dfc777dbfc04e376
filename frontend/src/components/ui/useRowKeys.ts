/** The keys of a list while no field has the focus: J and K move the current row, Enter opens it, X ticks it; C, R and E
 copy, reveal and export. With an open row, J and K open the next one. */
import { useEffect, useLayoutEffect, useRef, useState } from "react";

export interface RowKeys<Row> {
  onCopy?: (row: Row) => void;
  onReveal?: (row: Row) => void;
  onExport?: () => void;
}

interface List<Row> {
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  /** The key of the row that is open beside the list. */
  opened: string | number | undefined;
  onOpen: ((row: Row) => void) | undefined;
  onToggle: ((row: Row) => void) | undefined;
  keys: RowKeys<Row> | undefined;
}

const FIELDS = "input:not([type=checkbox]), textarea, select, [contenteditable], [role=menu], [role=combobox], [role=listbox]";
const CONTROLS = "a, button, summary";
const STEP: Record<string, number> = { j: 1, k: -1 };
/** The time in which `g` and a letter go to a screen. */
const PAUSE_MS = 1000;

/** Returns the key of the current row. */
export function useRowKeys<Row>(list: List<Row>): string | number | undefined {
  const [current, setCurrent] = useState<string | number>();
  const latest = useRef({ ...list, current });
  useLayoutEffect(() => {
    latest.current = { ...list, current };
  });
  const on = list.onOpen !== undefined;
  useEffect(() => {
    if (!on) return undefined;
    let goUntil = 0;
    const press = (event: KeyboardEvent) => {
      const { rows, keyOf, opened, onOpen, onToggle, keys, current: at } = latest.current;
      const key = event.key.toLowerCase();
      const goes = event.timeStamp < goUntil;
      goUntil = key === "g" ? event.timeStamp + PAUSE_MS : 0;
      if (goes || event.metaKey || event.ctrlKey || event.altKey || isBusy(event)) return;
      const index = rows.findIndex((row) => keyOf(row) === (opened ?? at));
      const step = STEP[key];
      if (step !== undefined) {
        const next = rows[index < 0 ? 0 : index + step];
        if (!next) return;
        setCurrent(keyOf(next));
        if (opened !== undefined) onOpen?.(next);
        return;
      }
      if (key === "e" && keys?.onExport) return keys.onExport();
      const row = rows[index];
      if (!row) return;
      if (key === "enter" && !(event.target as Element).closest(CONTROLS)) onOpen?.(row);
      else if (key === "x") onToggle?.(row);
      else if (key === "c") keys?.onCopy?.(row);
      else if (key === "r") keys?.onReveal?.(row);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [on]);
  return current;
}

/** Whether the key belongs to a field or to a dialog other than the drawer of a row. */
function isBusy({ target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest(FIELDS) !== null || target.closest("[role=dialog]:not([data-drawer])") !== null;
}
