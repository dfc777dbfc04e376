/** How the values of a column are rendered. Most are plain text in their cell, without another element. Pure. */
import { Exact } from "../api/json";
import type { Field, Json } from "../api/types";
import { geometryOf, inWords } from "../geometry/shapes";
import { isArray, isBoolean, isNumber, isTime, shortTime, shown } from "../lib/format";
import { T } from "../texts";

const MAX_CHARS = 300;

export interface Plain {
  text: string;
  /** Classes of the element that contains the text. */
  kind: string;
}

type Kind = "boolean" | "array" | "choice" | "time" | "decimal" | "other";

// Cached, because the grid calls it for every visible cell.
const kinds = new WeakMap<Field, Kind>();
const texts = new WeakMap<object, Plain>();

function kindOf(field: Field): Kind {
  const known = kinds.get(field);
  if (known) return known;
  const kind = isBoolean(field) ? "boolean" : isArray(field) ? "array" : field.picklist ? "choice" : isTime(field) ? "time" : field.scale && isNumber(field) ? "decimal" : "other";
  kinds.set(field, kind);
  return kind;
}

function ofObject(field: Field, value: object & Json): Plain {
  const known = texts.get(value);
  if (known) return known;
  const geometry = geometryOf(field, value);
  const plain = geometry ? { text: inWords(geometry), kind: "geometry" } : { text: shown(value).slice(0, MAX_CHARS), kind: "code" };
  texts.set(value, plain);
  return plain;
}

const PENDING: Plain = { text: "", kind: "pending" };
const NULL: Plain = { text: T.null, kind: "null" };
const BOOLEANS = { true: { text: T.true, kind: "boolean true" }, false: { text: T.false, kind: "boolean false" } };

const plain = (text: string): Plain => ({ text, kind: "" });

/** The text of a value that is rendered as text only; null for lists, choices, links and images. */
export function plainOf(field: Field, value: Json | undefined): Plain | null {
  if (value === undefined) return PENDING;
  if (value === null) return NULL;
  const kind = kindOf(field);
  if (kind === "boolean") return value === true ? BOOLEANS.true : BOOLEANS.false;
  if (kind === "choice") return null;
  if (typeof value === "object") {
    if (value instanceof Exact) return plain(value.source);
    return kind === "array" && Array.isArray(value) ? null : ofObject(field, value);
  }
  // JSON omits trailing zeros of a number: the column defines the number of decimals.
  if (typeof value === "number") return plain(kind === "decimal" ? value.toFixed(field.scale!) : String(value));
  if (kind === "time") return plain(shortTime(String(value)));
  const text = String(value);
  return /^(?:https?:|data:image)/i.test(text) ? null : plain(text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text);
}
