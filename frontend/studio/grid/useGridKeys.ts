/** Move in the grid with the keyboard; edit, copy and preview a cell, open and select a row, undo. */
import { type KeyboardEvent, useState } from "react";
import type { Row } from "../api/types";
import { copyAndReport } from "../lib/copy";
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
  /** Edits a cell, or opens its record where that is not possible. */
  onEdit: (cell: Cell) => void;
  onSelect: (row: number, extend: boolean) => void;
  onSelectAll: () => void;
  onPeek: (cell: Cell) => void;
  onUndo: () => void;
  onImages: (column: string) => void;
}

const between = (value: number, most: number): number => Math.max(0, Math.min(most, value));

export function useGridKeys({ columns, count, page, rowAt, onMove, onOpen, onEdit, onSelect, onSelectAll, onPeek, onUndo, onImages }: Options) {
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
    const withControl = event.ctrlKey || event.metaKey;
    const handled = (act: () => void): void => {
      event.preventDefault();
      act();
    };
    if (to) {
      const next = { row: between(to[0], count - 1), column: between(to[1], columns.length - 1) };
      handled(() => {
        if (event.shiftKey && next.row !== row) onSelect(next.row, true);
        setActive(next);
        onMove(next);
      });
    } else if (event.key === "Enter" && event.shiftKey) handled(() => onOpen(rowAt(row)));
    else if (event.key === "Enter" || event.key === "F2") handled(() => onEdit(active));
    else if (event.key === " ") handled(() => onSelect(row, event.shiftKey));
    else if (event.key === "a" && withControl) handled(onSelectAll);
    else if (event.key === "z" && withControl) handled(onUndo);
    else if (event.key === "c" && withControl) {
      if (field && getSelection()?.isCollapsed) void copyAndReport(shown(rowAt(row)?.[field.name]));
    } else if (withControl) return;
    else if (event.key === "p") handled(() => onPeek(active));
    else if (event.key === "i" && field) onImages(field.name);
  }

  return { active, setActive, pressed };
}
