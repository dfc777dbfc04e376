/** Move in the grid with the keyboard, open a record, copy a cell, switch the images of a column. */
import { type KeyboardEvent, useState } from "react";
import type { Row } from "../api/types";
import { copyText } from "../lib/copy";
import { shown } from "../lib/format";
import type { Column } from "../lib/listing";

export interface Cell {
  row: number;
  column: number;
}

interface Options {
  columns: Column[];
  count: number;
  /** Rows of one page of the view. */
  page: () => number;
  rowAt: (index: number) => Row | undefined;
  onMove: (cell: Cell) => void;
  onOpen: (row: Row | undefined) => void;
  onImages: (column: string) => void;
}

const between = (value: number, most: number): number => Math.max(0, Math.min(most, value));

export function useGridKeys({ columns, count, page, rowAt, onMove, onOpen, onImages }: Options) {
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 });

  function pressed(event: KeyboardEvent): void {
    if (event.target !== event.currentTarget) return;
    const { row, column } = active;
    const moves: Record<string, () => [number, number]> = {
      ArrowDown: () => [row + 1, column], ArrowUp: () => [row - 1, column], ArrowRight: () => [row, column + 1], ArrowLeft: () => [row, column - 1],
      PageDown: () => [row + page(), column], PageUp: () => [row - page(), column], Home: () => [event.ctrlKey ? 0 : row, 0], End: () => [row, columns.length - 1],
    };
    const field = columns[column]?.field;
    const to = moves[event.key]?.();
    if (to) {
      event.preventDefault();
      const next = { row: between(to[0], count - 1), column: between(to[1], columns.length - 1) };
      setActive(next);
      onMove(next);
    } else if (event.key === "Enter") onOpen(rowAt(row));
    else if (event.key === "c" && (event.ctrlKey || event.metaKey)) {
      if (field && getSelection()?.isCollapsed) void copyText(shown(rowAt(row)?.[field.name]));
    } else if (event.key === "i" && field && !event.ctrlKey && !event.metaKey) onImages(field.name);
  }

  return { active, setActive, pressed };
}
