/** One row of the grid, and one of the list on a phone. Drawn again only when it changes. */
import { memo } from "react";
import { ArrowUpRight } from "lucide-react";
import type { Row, TableInfo } from "../api/types";
import { labelField, labelOf, shown } from "../lib/format";
import type { Column } from "../lib/listing";
import { placeOf } from "../record/place";
import { Value, alignOf } from "./Cell";
import type { Offset } from "./GridHead";

interface Props {
  index: number;
  top: number;
  width: number;
  row: Row | undefined;
  columns: Column[];
  offsets: Offset[];
  activeColumn: number;
}

export const GridRow = memo(function GridRow({ index, top, width, row, columns, offsets, activeColumn }: Props) {
  return (
    <div className={`row ${index % 2 ? "odd" : ""}`} role="row" aria-rowindex={index + 2} data-row={index} style={{ transform: `translateY(${top}px)`, width }}>
      {offsets.map(({ index: column, start, size }) => {
        const { field } = columns[column]!;
        const value = row ? row[field.name] : undefined;
        const parent = field.ref_table && row && value !== null && value !== undefined ? placeOf(field.ref_table, shown(value)) : null;
        return (
          <div
            key={field.name}
            id={`cell-${index}-${column}`}
            role="gridcell"
            aria-colindex={column + 1}
            aria-selected={column === activeColumn}
            data-column={column}
            className={`cell ${alignOf(field)} ${column === activeColumn ? "active" : ""}`}
            style={{ transform: `translateX(${start}px)`, width: size }}
          >
            <span className="cell-value"><Value field={field} value={value} /></span>
            {parent && <span className="cell-parent" data-parent={parent} title={field.ref_table ?? ""}><ArrowUpRight size={14} aria-hidden /></span>}
          </div>
        );
      })}
    </div>
  );
});

/** Two lines: what names the record, and its first other values. */
export const PhoneRow = memo(function PhoneRow({ index, top, row, info, columns }: Pick<Props, "index" | "top" | "row" | "columns"> & { info: TableInfo }) {
  const label = labelField(info);
  const others = columns.filter(({ field }) => field.name !== label?.name).slice(0, 3);
  return (
    <div className="phone-row" role="row" aria-rowindex={index + 1} data-row={index} style={{ transform: `translateY(${top}px)` }}>
      <div role="gridcell" className="phone-cell">
        <span className="phone-label">{row ? labelOf(info, row) : <span className="pending" />}</span>
        <span className="phone-values">{row && others.map(({ field }) => `${field.name} ${shown(row[field.name]) || "–"}`).join(" · ")}</span>
      </div>
    </div>
  );
});
