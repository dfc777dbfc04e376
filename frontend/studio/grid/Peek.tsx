/** A small card with the record that a cell refers to, while the pointer rests on it. */
import { useQuery } from "@tanstack/react-query";
import { type CSSProperties, useEffect } from "react";
import { record, tableInfo } from "../api/queries";
import type { Row, TableInfo } from "../api/types";
import { change } from "../lib/address";
import { labelField, labelOf, nameFields } from "../lib/format";
import { readPlace } from "../record/place";
import { T } from "../texts";
import { Button } from "../ui";
import { Value } from "./Cell";

const SHOWN = 6;
const HEIGHT = 280;
const WIDTH = 320;

export interface Peeked {
  place: string;
  /** The hovered cell, in window coordinates. */
  at: DOMRect;
}

interface Props {
  dataset: string;
  peeked: Peeked;
  onEnter: () => void;
  onLeave: () => void;
  onClose: () => void;
}

export default function Peek({ dataset, peeked: { place, at }, onEnter, onLeave, onClose }: Props) {
  const { table, id } = readPlace(place);
  const info = useQuery(tableInfo(dataset, table));
  const read = useQuery(record(dataset, table, id));

  useEffect(() => {
    function pressed(event: KeyboardEvent): void {
      if (event.key === "Escape") onClose();
    }
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [onClose]);

  const isBelow = at.bottom + HEIGHT < innerHeight;
  const style: CSSProperties = { left: Math.max(8, Math.min(at.left, innerWidth - WIDTH - 8)), ...(isBelow ? { top: at.bottom + 4 } : { bottom: innerHeight - at.top + 4 }) };
  const title = info.data && read.data ? labelOf(info.data, read.data.data) : id;
  return (
    <div className="peek" style={style} role="group" aria-label={T.peek(title)} onPointerEnter={onEnter} onPointerLeave={onLeave}>
      <div className="peek-head">
        <strong>{title}</strong>
        <span className="dim">{table} {id}</span>
      </div>
      {read.isError || info.isError ? <p className="dim">{T.noRecord}</p> : info.data && read.data ? <Facts info={info.data} row={read.data.data} /> : <div className="peek-wait" />}
      {read.data && <Button tone="ghost" onClick={() => { onClose(); change({ open: place, at: null }); }}>{T.peekOpen}</Button>}
    </div>
  );
}

function Facts({ info, row }: { info: TableInfo; row: Row }) {
  const named = new Set([...nameFields(info), labelField(info)].map((field) => field?.name));
  const fields = info.field.filter(({ name, is_primary_key }) => !named.has(name) && !is_primary_key && row[name] !== null && row[name] !== "");
  return (
    <dl className="peek-facts">
      {fields.slice(0, SHOWN).map((field) => (
        <div key={field.name}><dt>{field.name}</dt><dd><Value field={field} value={row[field.name]} /></dd></div>
      ))}
    </dl>
  );
}
