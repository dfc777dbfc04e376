/** One row of the grid, and one of the list on a phone. Rerendered only when it changes. */
import { type CSSProperties, memo } from "react";
import type { Field, Json, Row, TableInfo } from "../api/types";
import { labelField, labelOf, partOf, shown } from "../lib/format";
import { T } from "../texts";
import type { Names } from "./useNames";
import type { Column } from "../lib/listing";
import { placeOf } from "../record/place";
import { Value } from "./Cell";
import { plainOf } from "./kinds";

/** A visible column. */
export interface DrawnColumn {
  index: number;
  field: Field;
  style: CSSProperties;
  className: string;
  hasImages: boolean;
  /** For a foreign key: the names of the referenced records, by their keys. */
  names: ReadonlyMap<string, string> | undefined;
}

interface Props {
  index: number;
  top: number;
  width: number;
  row: Row | undefined;
  columns: DrawnColumn[];
  activeColumn: number;
  /** The label of the row's tick; null where rows cannot be selected. */
  label: string | null;
  isSelected: boolean;
}

/** The width of the first cell of a row, which selects and opens it. */
export const TICK = 72;

export const cellId = (row: number, column: number): string => `cell-${row}-${column}`;

export const GridRow = memo(function GridRow({ index, top, width, row, columns, activeColumn, label, isSelected }: Props) {
  const first = label === null ? 1 : 2; // the index of the first column
  return (
    <div
      className={isSelected ? "row selected" : "row"}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={label === null ? undefined : isSelected}
      data-row={index}
      style={{ transform: `translateY(${top}px)`, width }}
    >
      {label !== null && (
        <div role="gridcell" aria-colindex={1} className="row-head">
          <label className="row-tick"><input type="checkbox" tabIndex={-1} aria-label={T.select(label)} checked={isSelected} readOnly disabled={!row} data-tick /></label>
          <button type="button" tabIndex={-1} className="row-open" aria-label={T.openRow(label)} title={T.openRow(label)} disabled={!row} data-open />
        </div>
      )}
      {columns.map((column) => {
        const { field, style } = column;
        const value = row ? row[field.name] : undefined;
        const plain = plainOf(field, value);
        const isActive = column.index === activeColumn;
        const isReference = field.ref_table !== null && value !== null && value !== undefined;
        const name = isReference ? column.names?.get(shown(value)) : undefined;
        const hasText = plain !== null && !isReference;
        return (
          <div
            key={field.name}
            id={isActive ? cellId(index, column.index) : undefined}
            role="gridcell"
            aria-colindex={column.index + first}
            aria-selected={isActive || undefined}
            data-column={column.index}
            className={`${column.className}${hasText && plain.kind ? ` ${plain.kind}` : ""}${isActive ? " active" : ""}`}
            style={style}
          >
            {name ? <>{name} <span className="cell-key">{shown(value)}</span></> : hasText ? plain.text : <Value field={field} value={value} hasImages={column.hasImages} />}
            {isReference && <span className="cell-parent" data-parent={placeOf(field.ref_table!, partOf(value!, field))} title={field.ref_table!} />}
          </div>
        );
      })}
    </div>
  );
});

interface PhoneProps {
  index: number;
  top: number;
  row: Row | undefined;
  info: TableInfo;
  columns: Column[];
  names: Names;
}

const PHONE_VALUES = 3;

const brief = (field: Field, value: Json | undefined): string => plainOf(field, value)?.text ?? shown(value);

/** The values below the name of a record: the most informative ones, so no keys or empty values, and references last.
 */
function telling(row: Row, columns: readonly Column[], label: Field | null, names: Names): string {
  return columns
    .map(({ field }) => field)
    .filter((field) => field.name !== label?.name && !field.is_primary_key && row[field.name] !== null && brief(field, row[field.name]) !== "")
    .toSorted((a, b) => Number(a.ref_table !== null) - Number(b.ref_table !== null))
    .slice(0, PHONE_VALUES)
    .map((field) => names.get(field.name)?.get(shown(row[field.name])) ?? `${field.name} ${brief(field, row[field.name])}`)
    .join(" · ");
}

/** Two lines: the name of the record, and some of its other values. */
export const PhoneRow = memo(function PhoneRow({ index, top, row, info, columns, names }: PhoneProps) {
  const label = labelField(info);
  return (
    <div className="phone-row" role="row" aria-rowindex={index + 1} data-row={index} style={{ transform: `translateY(${top}px)` }}>
      <div role="gridcell" className="phone-cell">
        <span className="phone-label">{row ? labelOf(info, row) : <span className="pending" />}</span>
        <span className="phone-values">{row && telling(row, columns, label, names)}</span>
      </div>
    </div>
  );
});
