/** A grid of any number of rows and columns: only what is in view is drawn. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type MouseEvent, useEffect, useMemo, useState } from "react";
import type { Params } from "../api/client";
import type { Row, TableInfo } from "../api/types";
import { change } from "../lib/address";
import { idOf } from "../lib/format";
import { imageColumn, switchImages, useImageColumns } from "../lib/images";
import type { Column, Sort } from "../lib/listing";
import { T } from "../texts";
import { Button, Problem, State } from "../ui";
import { alignOf } from "./Cell";
import { GridHead, HEAD } from "./GridHead";
import { type DrawnColumn, GridRow, PhoneRow, cellId } from "./GridRow";
import { type Cell, useGridKeys } from "./useGridKeys";
import { type Rows, type Window, pagesOf } from "./useRows";
import { useNarrow } from "./useNarrow";
import { useRowWindow } from "./useRowWindow";

const ROW = 36;
const PHONE_ROW = 64;
// Browsers stop at about 33 million pixels; a list that long is better narrowed by a filter.
const MAX_ROWS = 800_000;

interface Props {
  dataset: string;
  info: TableInfo;
  columns: Column[];
  order: Sort | null;
  params: Params;
  rows: Rows;
  onWindow: (window: Window) => void;
  onOpen: (id: string) => void;
  isFiltered: boolean;
}

export function Grid(props: Props) {
  const { rows, isFiltered } = props;
  const clear = isFiltered && <Button onClick={() => change({ filter: null, search: null })}>{T.clear}</Button>;
  if (rows.error) return <Problem error={rows.error} retry={rows.retry}>{clear}</Problem>;
  if (rows.total === 0) {
    return (
      <State title={isFiltered ? T.noMatch : T.noRows} hint={isFiltered ? T.noMatchHint : undefined}>
        {clear}
      </State>
    );
  }
  return <Scrolled {...props} />;
}

function Scrolled({ dataset, info, columns, order, params, rows, onWindow, onOpen }: Props) {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const isNarrow = useNarrow();
  const height = isNarrow ? PHONE_ROW : ROW;
  const count = Math.min(rows.count, MAX_ROWS);
  const view = useRowWindow(scroller, count, height);
  // oxlint-disable-next-line react/incompatible-library -- it is not memoised by a compiler here
  const across = useVirtualizer({ horizontal: true, count: columns.length, getScrollElement: () => scroller, estimateSize: (index) => columns[index]?.width ?? 0, overscan: 2 });
  useEffect(() => across.measure(), [across, columns]);
  const { first, last } = pagesOf(view);
  useEffect(() => onWindow({ first, last }), [first, last, onWindow]);

  const withImages = useImageColumns();
  const items = across.getVirtualItems();
  const drawnColumns = useMemo(
    () =>
      items.map(({ index, start, size }): DrawnColumn => {
        const { field } = columns[index]!;
        const className = `cell ${alignOf(field)}${field.ref_table ? " reference" : ""}`;
        return { index, field, className, style: { transform: `translateX(${start}px)`, width: size }, hasImages: withImages.has(imageColumn(dataset, info.name, field.name)) };
      }),
    [items, columns, withImages, dataset, info.name],
  );
  const width = across.getTotalSize();

  const open = (row: Row | undefined): void => {
    const id = row && idOf(info, row);
    if (id) onOpen(id);
  };
  const images = (column: string): void => switchImages(imageColumn(dataset, info.name, column));
  const { active, setActive, pressed } = useGridKeys({
    columns,
    count,
    page: () => Math.max(1, Math.floor((scroller?.clientHeight ?? ROW) / height) - 2),
    rowAt: rows.row,
    onMove: ({ row, column }: Cell) => {
      if (scroller) reveal(scroller, row * height, height);
      across.scrollToIndex(column);
    },
    onOpen: open,
    onImages: images,
  });
  // A new order or filter begins at the top.
  const asked = JSON.stringify(params);
  useEffect(() => {
    scroller?.scrollTo({ top: 0 });
    setActive({ row: 0, column: 0 });
  }, [asked, scroller, setActive]);

  function clicked(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const cell = target.closest<HTMLElement>("[data-row]");
    if (!cell || target.closest("a[href^='http']")) return;
    const row = Number(cell.dataset.row);
    setActive({ row, column: Number(target.closest<HTMLElement>("[data-column]")?.dataset.column ?? 0) });
    if (target.dataset.images) images(target.dataset.images);
    else if (target.dataset.parent) change({ open: target.dataset.parent, at: null });
    else if (getSelection()?.isCollapsed !== false) open(rows.row(row));
  }

  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus, jsx-a11y/no-noninteractive-tabindex -- a grid is one stop of the keyboard
    <div
      ref={setScroller}
      className={`grid ${isNarrow ? "narrow" : ""}`}
      role="grid"
      tabIndex={0}
      aria-label={info.plural}
      aria-rowcount={rows.total === null ? -1 : rows.total + 1}
      aria-colcount={columns.length}
      aria-busy={rows.isPending}
      aria-activedescendant={isNarrow ? undefined : cellId(active.row, active.column)}
      onKeyDown={pressed}
      onClick={clicked}
    >
      {!isNarrow && <GridHead columns={drawnColumns} width={width} order={order} info={info} onImages={images} />}
      <div className="grid-body" role="rowgroup" style={{ height: count * height, width: isNarrow ? "100%" : width }}>
        {view.rows.map(({ slot, index }) =>
          isNarrow ? (
            <PhoneRow key={slot} index={index} top={index * height} row={rows.row(index)} info={info} columns={columns} />
          ) : (
            <GridRow key={slot} index={index} top={index * height} width={width} row={rows.row(index)} columns={drawnColumns} activeColumn={active.row === index ? active.column : -1} />
          ),
        )}
      </div>
    </div>
  );
}

/** Scrolls as little as brings a row into view, below the head. */
function reveal(scroller: HTMLElement, top: number, height: number): void {
  const visible = scroller.clientHeight - HEAD;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + height > scroller.scrollTop + visible) scroller.scrollTop = top + height - visible;
}
