/** The visible rows of a list with a fixed row height; the cost does not depend on the number of rows.

 Rows are drawn into a fixed number of slots. While the grid is scrolled a slot keeps its place in the document and shows
 another row; once it rests the slots are put into the order of their rows, as screen readers expect. */
import { useEffect, useMemo, useState } from "react";
import { flushSync } from "react-dom";

const OVERSCAN = 6;
const REST_MS = 150;

interface View {
  first: number;
  slots: number;
  /** The first row when the grid last stopped scrolling. */
  base: number;
}

export interface DrawnRow {
  slot: number;
  index: number;
}

export interface RowWindow {
  first: number;
  last: number;
  rows: DrawnRow[];
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;

/** The rows of the slots, in document order. */
export function rowsOf({ first, slots, base }: View, count: number): DrawnRow[] {
  const rows: DrawnRow[] = [];
  for (let position = 0; position < slots; position += 1) {
    const index = first + modulo(base + position - first, slots);
    if (index < count) rows.push({ slot: modulo(index, slots), index });
  }
  return rows;
}

function viewOf(scroller: HTMLElement, height: number): Omit<View, "base"> {
  return {
    first: Math.max(0, Math.floor(scroller.scrollTop / height) - OVERSCAN),
    slots: Math.ceil(scroller.clientHeight / height) + 2 * OVERSCAN + 1,
  };
}

export function useRowWindow(scroller: HTMLElement | null, count: number, height: number): RowWindow {
  const [view, setView] = useState<View>({ first: 0, slots: 0, base: 0 });

  useEffect(() => {
    if (!scroller) return undefined;
    let timer = 0;
    const rest = () => setView((before) => (before.base === before.first ? before : { ...before, base: before.first }));
    const look = () => {
      const { first, slots } = viewOf(scroller, height);
      setView((before) => (before.first === first && before.slots === slots ? before : { first, slots, base: before.slots === slots ? before.base : first }));
    };
    const scrolled = () => {
      clearTimeout(timer);
      timer = window.setTimeout(rest, REST_MS);
      // Rendered synchronously, in the same frame that scrolls.
      flushSync(look);
    };
    const observer = new ResizeObserver(look);
    observer.observe(scroller);
    scroller.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      scroller.removeEventListener("scroll", scrolled);
    };
  }, [scroller, height]);

  return useMemo(() => {
    const first = Math.min(view.first, Math.max(0, count - 1));
    const rows = rowsOf({ ...view, first }, count);
    return { first, last: Math.min(count, first + view.slots) - 1, rows };
  }, [view, count]);
}
