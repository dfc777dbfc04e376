/** A grid of any number of rows and columns: only visible cells are rendered. Cells can be edited in place, and rows
 selected.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type MouseEvent, type PointerEvent, Suspense, lazy, useEffect, useMemo, useState } from "react";
import type { Params } from "../api/client";
import type { Field, Row, TableInfo } from "../api/types";
import { change } from "../lib/address";
import { idOf, isJson, isPostgis, labelOf, partOf } from "../lib/format";
import { imageColumn, switchImages, useImageColumns } from "../lib/images";
import type { Column, Sort } from "../lib/listing";
import { undoLast } from "../lib/undo";
import { placeOf } from "../record/place";
import { useCellSave } from "../record/useCellSave";
import { T } from "../texts";
import { Button, Problem, State } from "../ui";
import { alignOf } from "./Cell";
import { GridHead, HEAD } from "./GridHead";
import CellEditor from "./CellEditor";
import { type DrawnColumn, GridRow, PhoneRow, TICK, cellId } from "./GridRow";
import { type Cell, useGridKeys } from "./useGridKeys";
import { type Rows, type Window, pagesOf } from "./useRows";
import { useNarrow } from "./useNarrow";
import { usePeek } from "./usePeek";
import { useNames } from "./useNames";
import { useRowWindow } from "./useRowWindow";
import { useSelection } from "./useSelection";

/** Whether a value is edited in its cell. Structured values need more room and are edited in the record. */
const isInline = (field: Field): boolean => field.update && !field.is_primary_key && !isJson(field) && !isPostgis(field);

const Peek = lazy(() => import("./Peek"));
const SelectionBar = lazy(() => import("./SelectionBar"));

const ROW = 36;
const PHONE_ROW = 64;
// Browsers stop at about 33 million pixels; a longer list needs a filter.
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
  const hasTicks = !isNarrow && info.primary_key.length > 0;
  const before = hasTicks ? TICK : 0;
  // oxlint-disable-next-line react/incompatible-library -- it is not memoised by a compiler here
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => columns[index]?.width ?? 0,
    overscan: 2,
    paddingStart: before,
    scrollPaddingStart: before,
  });
  useEffect(() => across.measure(), [across, columns, before]);
  const { first, last } = pagesOf(view);
  useEffect(() => onWindow({ first, last }), [first, last, onWindow]);

  const withImages = useImageColumns();
  const fields = useMemo(() => columns.map(({ field }) => field), [columns]);
  const names = useNames(dataset, fields, rows.pages);
  const items = across.getVirtualItems();
  const drawnColumns = useMemo(
    () =>
      items.map(({ index, start, size }): DrawnColumn => {
        const { field } = columns[index]!;
        const className = `cell ${alignOf(field)}${field.ref_table ? " reference" : ""}`;
        return { index, field, className, style: { transform: `translateX(${start}px)`, width: size }, hasImages: withImages.has(imageColumn(dataset, info.name, field.name)), names: names.get(field.name) };
      }),
    [items, columns, withImages, names, dataset, info.name],
  );
  const width = across.getTotalSize();

  const open = (row: Row | undefined): void => {
    const id = row && idOf(info, row);
    if (id) onOpen(id);
  };
  const images = (column: string): void => switchImages(imageColumn(dataset, info.name, column));
  const asked = JSON.stringify(params);
  const { selected, toggle, toggleAll, clear } = useSelection(info, asked, rows.row);
  const [editing, setEditing] = useState<Cell | null>(null);
  const save = useCellSave(dataset, info);
  const canWrite = hasTicks && info.access.includes("PATCH");
  const { peeked, setPeeked, rest, leave, keep } = usePeek();

  const parentOf = ({ row, column }: Cell): string | null => {
    const field = columns[column]?.field;
    const value = field && rows.row(row)?.[field.name];
    return field?.ref_table && value !== null && value !== undefined ? placeOf(field.ref_table, partOf(value, field)) : null;
  };
  const isEditable = ({ row, column }: Cell): boolean => Boolean(canWrite && rows.row(row) && columns[column] && isInline(columns[column].field));
  const edit = (cell: Cell): void => {
    if (isEditable(cell)) setEditing(cell);
    else open(rows.row(cell.row));
  };
  const move = ({ row, column }: Cell): void => {
    if (scroller) reveal(scroller, row * height, height);
    across.scrollToIndex(column);
  };

  const { active, setActive, pressed } = useGridKeys({
    columns,
    count,
    page: () => Math.max(1, Math.floor((scroller?.clientHeight ?? ROW) / height) - 2),
    rowAt: rows.row,
    onMove: move,
    onOpen: open,
    onEdit: edit,
    onSelect: (row, extend) => hasTicks && toggle(row, extend),
    onSelectAll: () => hasTicks && toggleAll(rows.pages.flatMap(({ resource }) => resource)),
    onPeek: (cell) => {
      const place = parentOf(cell);
      const at = document.getElementById(cellId(cell.row, cell.column))?.getBoundingClientRect();
      setPeeked(place && at && peeked?.place !== place ? { place, at } : null);
    },
    onUndo: undoLast,
    onImages: images,
  });
  // A new order or filter starts at the top.
  useEffect(() => {
    scroller?.scrollTo({ top: 0 });
    setActive({ row: 0, column: 0 });
    setEditing(null);
  }, [asked, scroller, setActive]);

  function done(how: "stay" | "down" | "right" | "left" | "elsewhere"): void {
    const at = editing;
    setEditing(null);
    if (!at || how === "elsewhere") return;
    scroller?.focus();
    const by = { stay: [0, 0], down: [1, 0], right: [0, 1], left: [0, -1] }[how];
    const next = { row: Math.min(count - 1, at.row + by[0]!), column: Math.max(0, Math.min(columns.length - 1, at.column + by[1]!)) };
    setActive(next);
    move(next);
  }

  function clicked(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const cell = target.closest<HTMLElement>("[data-row]");
    if (!cell || target.closest("a[href^='http']") || target.closest(".cell-editor")) return;
    const row = Number(cell.dataset.row);
    if (target.closest(".row-head")) {
      // A press on a checkbox label is forwarded to the checkbox.
      if (target.closest("[data-open]")) open(rows.row(row));
      else if (target.dataset.tick !== undefined) toggle(row, event.shiftKey);
      return;
    }
    const at = { row, column: Number(target.closest<HTMLElement>("[data-column]")?.dataset.column ?? 0) };
    setActive(at);
    setPeeked(null);
    if (target.dataset.images) images(target.dataset.images);
    else if (target.dataset.parent) change({ open: target.dataset.parent, at: null });
    else if (getSelection()?.isCollapsed !== false && !isEditable(at)) open(rows.row(row));
  }

  function clickedTwice(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const row = target.closest<HTMLElement>("[data-row]")?.dataset.row;
    const column = target.closest<HTMLElement>("[data-column]")?.dataset.column;
    if (row === undefined || column === undefined || target.dataset.parent || target.closest("a[href^='http']")) return;
    const at = { row: Number(row), column: Number(column) };
    if (!isEditable(at)) return;
    getSelection()?.removeAllRanges();
    setEditing(at);
  }

  function pointed(event: PointerEvent): void {
    if (event.pointerType !== "mouse") return;
    const cell = (event.target as HTMLElement).closest<HTMLElement>(".cell.reference");
    const row = cell?.closest<HTMLElement>("[data-row]")?.dataset.row;
    const place = cell && row !== undefined ? parentOf({ row: Number(row), column: Number(cell.dataset.column) }) : null;
    if (place && cell && !editing) rest({ place, at: cell.getBoundingClientRect() });
    else leave();
  }

  const read = rows.pages.flatMap(({ resource }) => resource);
  const inEditor = editing && rows.row(editing.row);
  const edited = editing && columns[editing.column];
  const drawn = editing && across.measurementsCache[editing.column];
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus, jsx-a11y/no-noninteractive-tabindex -- a grid is one stop of the keyboard */}
      <div
        ref={setScroller}
        className={`grid ${isNarrow ? "narrow" : ""}${selected.size > 0 ? " with-bar" : ""}`}
        role="grid"
        tabIndex={0}
        aria-label={info.plural}
        aria-multiselectable={hasTicks || undefined}
        aria-rowcount={rows.total === null ? -1 : rows.total + 1}
        aria-colcount={columns.length + (hasTicks ? 1 : 0)}
        aria-busy={rows.isPending}
        aria-activedescendant={isNarrow ? undefined : cellId(active.row, active.column)}
        onKeyDown={pressed}
        onClick={clicked}
        onDoubleClick={clickedTwice}
        onPointerOver={pointed}
        onPointerLeave={leave}
        onScroll={() => peeked && setPeeked(null)}
      >
        {!isNarrow && (
          <GridHead
            columns={drawnColumns}
            width={width}
            order={order}
            info={info}
            onImages={images}
            all={hasTicks ? { isOn: selected.size > 0 && selected.size === read.length, isPart: selected.size > 0 && selected.size < read.length, toggle: () => toggleAll(read) } : null}
          />
        )}
        <div className="grid-body" role="rowgroup" style={{ height: count * height, width: isNarrow ? "100%" : width }}>
          {view.rows.map(({ slot, index }) => {
            const row = rows.row(index);
            if (isNarrow) return <PhoneRow key={slot} index={index} top={index * height} row={row} info={info} columns={columns} names={names} />;
            const id = hasTicks && row ? idOf(info, row) : null;
            return (
              <GridRow
                key={slot}
                index={index}
                top={index * height}
                width={width}
                row={row}
                columns={drawnColumns}
                activeColumn={active.row === index ? active.column : -1}
                label={hasTicks ? (row ? labelOf(info, row) : T.loading) : null}
                isSelected={id !== null && selected.has(id)}
              />
            );
          })}
          {editing && inEditor && edited && drawn && (
            <CellEditor
              key={`${editing.row} ${editing.column}`}
              dataset={dataset}
              field={edited.field}
              value={inEditor[edited.field.name] ?? null}
              label={T.editCell(edited.field.name, labelOf(info, inEditor))}
              place={{ left: drawn.start, top: editing.row * height, width: drawn.size, height }}
              onSave={(text) => save(inEditor, edited.field, text)}
              onDone={done}
            />
          )}
        </div>
      </div>
      <Suspense>
        {peeked && <Peek key={peeked.place} dataset={dataset} peeked={peeked} onEnter={keep} onLeave={leave} onClose={() => setPeeked(null)} />}
        {selected.size > 0 && <SelectionBar dataset={dataset} info={info} selected={selected} params={params} onClear={clear} />}
      </Suspense>
    </>
  );
}

/** Scrolls the minimum needed to bring a row into view below the head. */
function reveal(scroller: HTMLElement, top: number, height: number): void {
  const visible = scroller.clientHeight - HEAD;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + height > scroller.scrollTop + visible) scroller.scrollTop = top + height - visible;
}
