/** A grid of any number of rows and columns: only what is in view is drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef, useState } from "react";
import type { Params } from "../api/client";
import type { Row, TableInfo } from "../api/types";
import { change } from "../lib/address";
import { idOf, shown } from "../lib/format";
import type { Column, Sort } from "../lib/listing";
import { copyText } from "../lib/copy";
import { T } from "../texts";
import { Button, Problem, State } from "../ui";
import { GridHead, HEAD } from "./GridHead";
import { GridRow, PhoneRow } from "./GridRow";
import type { Rows, Window } from "./useRows";
import { useNarrow } from "./useNarrow";

const ROW = 36;
const PHONE_ROW = 64;
// Browsers stop at about 33 million pixels; a list that long is better narrowed by a filter.
const MAX_ROWS = 800_000;

interface Props {
  info: TableInfo;
  columns: Column[];
  order: Sort | null;
  params: Params;
  rows: Rows;
  onWindow: (window: Window) => void;
  onOpen: (id: string) => void;
  isFiltered: boolean;
}

interface Place {
  row: number;
  column: number;
}

export function Grid({ info, columns, order, params, rows, onWindow, onOpen, isFiltered }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  const height = isNarrow ? PHONE_ROW : ROW;
  const count = Math.min(rows.count, MAX_ROWS);
  // oxlint-disable-next-line react/incompatible-library -- it is not memoised by a compiler here
  const lines = useVirtualizer({ count, getScrollElement: () => scroller.current, estimateSize: () => height, overscan: 8, scrollMargin: isNarrow ? 0 : HEAD });
  const across = useVirtualizer({ horizontal: true, count: columns.length, getScrollElement: () => scroller.current, estimateSize: (index) => columns[index]?.width ?? 0, overscan: 2 });
  const drawn = lines.getVirtualItems();
  const first = drawn[0]?.index ?? 0;
  const last = drawn.at(-1)?.index ?? 0;
  useEffect(() => onWindow({ first, last }), [first, last, onWindow]);
  useEffect(() => across.measure(), [across, columns]);
  useEffect(() => lines.measure(), [lines, height]);
  // A new order or filter begins at the top.
  const asked = JSON.stringify(params);
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    setActive({ row: 0, column: 0 });
  }, [asked]);

  const shownColumns = across.getVirtualItems();
  const width = across.getTotalSize();
  const offsets = useMemo(() => shownColumns.map(({ index, start, size }) => ({ index, start, size })), [shownColumns]);

  function move(row: number, column: number): void {
    const next = { row: Math.max(0, Math.min(count - 1, row)), column: Math.max(0, Math.min(columns.length - 1, column)) };
    setActive(next);
    lines.scrollToIndex(next.row);
    across.scrollToIndex(next.column);
  }

  function open(row: Row | undefined): void {
    const id = row && idOf(info, row);
    if (id) onOpen(id);
  }

  function pressed(event: KeyboardEvent): void {
    if (event.target !== scroller.current) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? ROW) / height) - 2);
    const { row, column } = active;
    const moves: Record<string, [number, number]> = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      PageDown: [row + page, column], PageUp: [row - page, column], Home: [event.ctrlKey ? 0 : row, 0], End: [row, columns.length - 1],
    };
    const to = moves[event.key];
    if (to) {
      event.preventDefault();
      move(...to);
    } else if (event.key === "Enter") open(rows.row(row));
    else if (event.key === "c" && (event.ctrlKey || event.metaKey) && getSelection()?.isCollapsed) {
      const field = columns[column]?.field;
      if (field) void copyText(shown(rows.row(row)?.[field.name]));
    }
  }

  function clicked(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const cell = target.closest<HTMLElement>("[data-row]");
    if (!cell || target.closest("a[href^='http']")) return;
    const row = Number(cell.dataset.row);
    setActive({ row, column: Number(target.closest<HTMLElement>("[data-column]")?.dataset.column ?? 0) });
    const parent = target.closest<HTMLElement>("[data-parent]");
    if (parent?.dataset.parent) change({ open: parent.dataset.parent, at: null });
    else if (getSelection()?.isCollapsed !== false) open(rows.row(row));
  }

  if (rows.error) return <Problem error={rows.error} retry={rows.retry} />;
  if (rows.total === 0) {
    return (
      <State title={isFiltered ? T.noMatch : T.noRows} hint={isFiltered ? T.noMatchHint : undefined}>
        {isFiltered && <Button onClick={() => change({ filter: null, search: null })}>{T.clear}</Button>}
      </State>
    );
  }
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus, jsx-a11y/no-noninteractive-tabindex -- a grid is one stop of the keyboard
    <div
      ref={scroller}
      className={`grid ${isNarrow ? "narrow" : ""}`}
      role="grid"
      tabIndex={0}
      aria-label={info.plural}
      aria-rowcount={rows.total === null ? -1 : rows.total + 1}
      aria-colcount={columns.length}
      aria-busy={rows.isPending}
      aria-activedescendant={isNarrow ? undefined : `cell-${active.row}-${active.column}`}
      onKeyDown={pressed}
      onClick={clicked}
    >
      {!isNarrow && <GridHead columns={columns} offsets={offsets} width={width} order={order} info={info} />}
      <div className="grid-body" role="rowgroup" style={{ height: lines.getTotalSize(), width: isNarrow ? "100%" : width }}>
        {drawn.map(({ index, start }) => {
          const top = start - (isNarrow ? 0 : HEAD);
          const row = rows.row(index);
          return isNarrow ? (
            <PhoneRow key={index} index={index} top={top} row={row} info={info} columns={columns} />
          ) : (
            <GridRow key={index} index={index} top={top} width={width} row={row} columns={columns} offsets={offsets} activeColumn={active.row === index ? active.column : -1} />
          );
        })}
      </div>
    </div>
  );
}
