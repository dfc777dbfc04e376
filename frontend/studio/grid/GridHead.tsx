/** The head of the grid: a press sorts, and dragging the edge of a column resizes it. */
import type { PointerEvent } from "react";
import { ArrowDown, ArrowUp, ImageOff, Key } from "lucide-react";
import type { TableInfo } from "../api/types";
import { change } from "../lib/address";
import { MAX_WIDTH, MIN_WIDTH, type Sort } from "../lib/listing";
import { T } from "../texts";
import { Button } from "../ui";
import { alignOf } from "./Cell";
import type { DrawnColumn } from "./GridRow";
import { setWidth } from "./columns";

export const HEAD = 36;

interface Props {
  columns: DrawnColumn[];
  width: number;
  order: Sort | null;
  info: TableInfo;
  onImages: (column: string) => void;
  /** The tick over all rows; null where rows cannot be selected. */
  all: { isOn: boolean; isPart: boolean; toggle: () => void } | null;
}

/** Ascending, then descending, then the table's own order. */
export function nextSort(order: Sort | null, name: string): string | null {
  if (order?.name !== name) return name;
  return order.descending ? null : `-${name}`;
}

export function GridHead({ columns, width, order, info, onImages, all }: Props) {
  return (
    <div className="grid-head" role="rowgroup" style={{ width }}>
      <div role="row" aria-rowindex={1}>
        {all && (
          <div role="columnheader" aria-colindex={1} className="row-head head">
            <label className="row-tick">
              <input type="checkbox" aria-label={T.selectRead} title={T.selectRead} checked={all.isOn} ref={(box) => { if (box) box.indeterminate = all.isPart; }} onChange={all.toggle} />
            </label>
          </div>
        )}
        {columns.map(({ index, field, style, hasImages }) => {
          const isSorted = order?.name === field.name;
          return (
            <div
              key={field.name}
              role="columnheader"
              aria-colindex={index + (all ? 2 : 1)}
              aria-sort={isSorted ? (order.descending ? "descending" : "ascending") : undefined}
              className={`head-cell ${alignOf(field)}`}
              style={style}
            >
              <button
                type="button"
                className="head-button"
                title={[field.name, field.db_type, field.description].filter(Boolean).join(" · ")}
                disabled={field.sealed}
                onClick={() => change({ order: nextSort(order, field.name) })}
              >
                {info.primary_key.includes(field.name) && <Key size={12} aria-hidden />}
                <span>{field.name}</span>
                {isSorted && (order.descending ? <ArrowDown size={14} aria-hidden /> : <ArrowUp size={14} aria-hidden />)}
              </button>
              {hasImages && <Button tone="ghost" className="head-images" icon={ImageOff} aria-label={T.hideImages(field.name)} title={T.hideImages(field.name)} onClick={() => onImages(field.name)} />}
              <Edge name={field.name} width={Number(style.width)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Edge({ name, width }: { name: string; width: number }) {
  function drag(event: PointerEvent<HTMLDivElement>): void {
    event.preventDefault();
    const element = event.currentTarget;
    const from = event.clientX;
    element.setPointerCapture(event.pointerId);
    const moved = (now: globalThis.PointerEvent): void => setWidth(name, width + now.clientX - from);
    element.addEventListener("pointermove", moved);
    element.addEventListener("pointerup", () => element.removeEventListener("pointermove", moved), { once: true });
  }
  return (
    <div
      className="edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={T.columnWidth(name)}
      aria-valuenow={width}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -16, ArrowRight: 16 }[event.key];
        if (step) setWidth(name, width + step);
      }}
    />
  );
}
