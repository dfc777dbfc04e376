/** The one table of the app: sticky head, one line per row, values never cut off.

 `label`      its name for a screen reader
 `columns`    constant or memoised: a new list rerenders every row. See `Column`
 `rows`, `rowKey`
 `selection`  ticks before each row: `has`, `set`, `toggleAll`, `canSelect` and the name of a row; with Shift, a tick
              takes every row since the last one
 `sort`       `{ by, down }` with `onSort(by)`; a column with `sort` has a button in its head
 `onOpen`     a press on a row outside its controls, or Enter on the current one (`useRowKeys`)
 `keys`       what C, R and E do
 `phone`      the two lines of a row below 640 px; if absent, the table scrolls there too
 `group`      a heading above the first row of each group, such as its day
 `state`      "deleted" rows are paler, the "open" one is in the drawer
 `compact`    rows of 36 instead of 44
 `foot`       below the rows, inside the card: the pager
*/
import { useMediaQuery } from "@mantine/hooks";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, type UIEvent, memo, useCallback, useLayoutEffect, useRef, useState } from "react";
import classes from "./DataTable.module.css";
import { Tick } from "./Tick";
import { type RowKeys, useRowKeys } from "./useRowKeys";

export interface Column<Row> {
  /** "actions" contains buttons, which are not printed. */
  key: string;
  head: string;
  cell: (row: Row) => ReactNode;
  /** Numbers are aligned to the end. */
  align?: "end";
  /** The order of the list after a click on the column header. */
  sort?: string;
  /** Text of any length: it wraps before another column goes out of view. */
  wraps?: boolean;
  /** Row actions: shown on hover and focus, always on touch. */
  quiet?: boolean;
  /** The head is only for screen readers. */
  unnamed?: boolean;
}

export interface Selecting<Row> {
  has: (row: Row) => boolean;
  canSelect: (row: Row) => boolean;
  set: (rows: Row[], on: boolean) => void;
  toggleAll: (rows: Row[]) => void;
  nameOf: (row: Row) => string;
  allLabel: string;
}

interface Props<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  selection?: Selecting<Row>;
  sort?: { by: string; down: boolean };
  onSort?: (by: string) => void;
  onOpen?: (row: Row) => void;
  phone?: (row: Row) => ReactNode;
  group?: (row: Row) => string;
  state?: (row: Row) => string | undefined;
  compact?: boolean;
  keys?: RowKeys<Row>;
  foot?: ReactNode;
}

// Scrollable areas can be scrolled with the keyboard, too.
const SCROLLABLE = { role: "region", tabIndex: 0 };

export function DataTable<Row>(props: Props<Row>) {
  const { label, columns, rows, rowKey, selection, onOpen, keys, phone, group, state, compact, foot } = props;
  const narrow = useMediaQuery("(width < 640px)") && phone !== undefined;
  const scroll = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState({ start: false, end: false });
  const look = useCallback((box: HTMLElement) => {
    const start = box.scrollLeft > 0;
    const end = box.scrollLeft + box.clientWidth < box.scrollWidth - 1;
    setMore((old) => (old.start === start && old.end === end ? old : { start, end }));
  }, []);
  useLayoutEffect(() => {
    const box = scroll.current;
    if (!box) return;
    const observer = new ResizeObserver(() => look(box));
    // The observer calls once they are laid out; measuring before that would lay the page out twice.
    observer.observe(box);
    if (box.firstElementChild) observer.observe(box.firstElementChild);
    return () => observer.disconnect();
  }, [look]);

  // Rows are memoised: their callbacks must keep their identity while their behaviour changes.
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  const last = useRef<string | number | undefined>(undefined);
  const toggle = useCallback((row: Row, ranges = false) => {
    const { rows: shown, rowKey: keyOf, selection: selecting } = latest.current;
    if (!selecting) return;
    const to = keyOf(row);
    const ends = [last.current, to].map((key) => shown.findIndex((one) => keyOf(one) === key)).toSorted((one, other) => one - other);
    last.current = to;
    const on = !selecting.has(row);
    const range = ranges && ends[0] !== -1 ? shown.slice(ends[0], ends[1]! + 1) : [row];
    selecting.set(on ? range.filter(selecting.canSelect) : range, on);
  }, []);
  const open = useCallback((row: Row) => latest.current.onOpen?.(row), []);

  const opened = rows.find((row) => state?.(row) === "open");
  const current = useRowKeys({ rows, keyOf: rowKey, opened: opened && rowKey(opened), onOpen: onOpen && open, onToggle: selection && toggle, keys });

  return (
    <div className={classes.card} data-start={more.start || undefined} data-end={more.end || undefined}>
      <div
        ref={scroll}
        className={classes.scroll}
        {...SCROLLABLE}
        aria-label={label}
        onScroll={(event: UIEvent<HTMLDivElement>) => look(event.currentTarget)}
      >
        <table className={classes.table} data-compact={compact || undefined} data-narrow={narrow || undefined}>
          <Head {...props} narrow={narrow} />
          {groupsOf(rows, group).map(([title, part]) => (
          <tbody key={title}>
            {group && <tr><th className={classes.group} scope="rowgroup" colSpan={narrow ? 1 : columns.length}>{title}</th></tr>}
            {part.map((row) => (
              <Line
                key={rowKey(row)}
                row={row}
                columns={columns as readonly Column<unknown>[]}
                tick={selection && (selection.has(row) ? "on" : selection.canSelect(row) ? "off" : "none")}
                name={selection?.nameOf(row)}
                state={state?.(row)}
                isCurrent={current !== undefined && rowKey(row) === current}
                onToggle={toggle as (row: unknown, ranges?: boolean) => void}
                onOpen={onOpen && (open as (row: unknown) => void)}
                phone={narrow ? (phone as (row: unknown) => ReactNode) : undefined}
              />
            ))}
          </tbody>
          ))}
        </table>
      </div>
      {foot && <div className={classes.foot}>{foot}</div>}
    </div>
  );
}

/** The rows by group, in order; one unnamed group if there are none. */
function groupsOf<Row>(rows: readonly Row[], group?: (row: Row) => string): [string, readonly Row[]][] {
  if (!group) return [["", rows]];
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(group(row), [...(groups.get(group(row)) ?? []), row]);
  return [...groups];
}

function Head<Row>({ columns, rows, selection, sort, onSort, narrow }: Props<Row> & { narrow: boolean }) {
  const open = selection ? rows.filter(selection.canSelect) : [];
  const ticked = selection ? rows.filter(selection.has).length : 0;
  const all = open.length > 0 && selection !== undefined && open.every(selection.has);
  return (
    <thead data-silent={(narrow && !selection) || undefined}>
      <tr>
        {selection && (
          <th className={classes.tick}>
            <Tick
              label={selection.allLabel}
              checked={all}
              mixed={ticked > 0 && !all}
              disabled={open.length === 0 && ticked === 0}
              onChange={() => selection.toggleAll([...rows])}
            />
          </th>
        )}
        {narrow ? (
          <th>{columns[0]?.head}</th>
        ) : (
          columns.map(({ key, head, align, quiet, wraps, unnamed, sort: by }) => (
            <th key={key} data-align={align} data-wraps={wraps} data-quiet={quiet} data-controls={hasControls(key, quiet)} aria-sort={sort && by === sort.by ? (sort.down ? "descending" : "ascending") : undefined}>
              {by && onSort ? (
                <button type="button" className={classes.sort} onClick={() => onSort(by)}>
                  {head}
                  {sort?.by === by && (sort.down ? <ArrowDown size={14} aria-hidden="true" /> : <ArrowUp size={14} aria-hidden="true" />)}
                </button>
              ) : (
                <span className={unnamed ? "visually-hidden" : undefined}>{head}</span>
              )}
            </th>
          ))
        )}
      </tr>
    </thead>
  );
}

interface LineProps {
  row: unknown;
  columns: readonly Column<unknown>[];
  tick: "on" | "off" | "none" | undefined;
  name: string | undefined;
  state: string | undefined;
  isCurrent: boolean;
  onToggle: (row: unknown, ranges?: boolean) => void;
  onOpen: ((row: unknown) => void) | undefined;
  phone: ((row: unknown) => ReactNode) | undefined;
}

const CONTROLS = "a, button, input, label, [role=menu], [role=dialog]";

const Line = memo(function Line({ row, columns, tick, name, state, isCurrent, onToggle, onOpen, phone }: LineProps) {
  return (
    <tr
      ref={isCurrent ? intoView : undefined}
      data-current={isCurrent || undefined}
      data-selected={tick === "on" || undefined}
      data-state={state}
      data-opens={onOpen ? true : undefined}
      onClick={onOpen && ((event) => !(event.target as Element).closest(CONTROLS) && hasNoSelection() && onOpen(row))}
    >
      {tick && (
        <td className={classes.tick}>
          <Tick label={name} checked={tick === "on"} disabled={tick === "none"} onChange={(ranges) => onToggle(row, ranges)} />
        </td>
      )}
      <Cells row={row} columns={columns} phone={phone} />
    </tr>
  );
});

const intoView = (line: HTMLElement | null) => line?.scrollIntoView({ block: "nearest" });

/** Memoised separately from the row, so that ticking it does not render the cells again. */
const Cells = memo(function Cells({ row, columns, phone }: Pick<LineProps, "row" | "columns" | "phone">) {
  if (phone) return <td className={classes.phone}>{phone(row)}</td>;
  return columns.map(({ key, align, quiet, wraps, cell }) => (
    <td key={key} data-align={align} data-wraps={wraps} data-quiet={quiet} data-controls={hasControls(key, quiet)}>
      {cell(row)}
    </td>
  ));
});

const hasControls = (key: string, quiet = false): true | undefined => quiet || key === "actions" || undefined;

/** Whether no text is selected: selecting text to copy ends with a click, which must not open the row. */
const hasNoSelection = () => !window.getSelection()?.toString();
