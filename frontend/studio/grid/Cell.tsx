/** One value by the type of its column. Whatever stands in the database is text here: nothing of it is interpreted. */
import { Check, ExternalLink, Minus } from "lucide-react";
import { Exact } from "../api/json";
import type { Field, Json } from "../api/types";
import { imageOf, isArray, isBoolean, isJson, isNumber, isTime, linkOf, shortTime, shown } from "../lib/format";
import { T } from "../texts";

const MAX_CHARS = 300;

export const alignOf = (field: Field): string => (isNumber(field) && !field.picklist ? "right" : "left");

export function Value({ field, value }: { field: Field; value: Json | undefined }) {
  if (value === undefined) return <span className="pending" />;
  if (value === null) return <span className="null">{T.null}</span>;
  if (isBoolean(field)) {
    return <span className={`boolean ${String(value)}`}>{value === true ? <Check size={14} aria-hidden /> : <Minus size={14} aria-hidden />}{value === true ? T.true : T.false}</span>;
  }
  if (isArray(field) && Array.isArray(value)) {
    return <span className="chips">{value.map((item, index) => <span key={index} className="chip">{shown(item)}</span>)}</span>;
  }
  if (value instanceof Exact) return <>{value.source}</>;
  if (field.picklist) return <span className="chip">{shown(value)}</span>;
  if (isJson(field) || typeof value === "object") return <code className="code">{shown(value).slice(0, MAX_CHARS)}</code>;
  // JSON has no digits behind a number that is whole: the column says how many there are.
  if (typeof value === "number" && field.scale) return <>{value.toFixed(field.scale)}</>;
  if (isTime(field)) return <>{shortTime(String(value))}</>;
  const image = imageOf(value, location.origin);
  if (image) return <img className="thumbnail" src={image} alt={shown(value).slice(0, 80)} loading="lazy" />;
  const link = linkOf(value);
  if (link) {
    return (
      <a href={link} target="_blank" rel="noopener noreferrer" className="out" tabIndex={-1}>
        {shown(value)}
        <ExternalLink size={12} aria-hidden />
      </a>
    );
  }
  return <>{shown(value).slice(0, MAX_CHARS)}</>;
}
