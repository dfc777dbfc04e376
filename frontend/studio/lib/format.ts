/** Formats values by the type of their column. Pure. */
import { writeJson } from "../api/json";
import type { Field, Json, Row, TableInfo } from "../api/types";

const NUMBERS = new Set(["id", "integer", "bigint", "decimal", "float", "double", "reference", "money", "number"]);
const WIDE = new Set(["json", "array"]);

export const isArray = ({ db_type }: Field): boolean => db_type.endsWith("[]");
export const isNumber = (field: Field): boolean => !isArray(field) && NUMBERS.has(field.type) && !/^(text|uuid|character)/.test(field.db_type);
export const isBoolean = (field: Field): boolean => field.db_type === "boolean";
export const isJson = ({ db_type }: Field): boolean => db_type === "json" || db_type === "jsonb";
/** A type of PostGIS: its values are GeoJSON objects. */
export const isPostgis = ({ db_type }: Field): boolean => /^(?:\w+\.)?(?:geometry|geography)\b(?!.*\[\])/.test(db_type);
export const isDate = ({ db_type }: Field): boolean => db_type === "date";
export const isTime = ({ db_type }: Field): boolean => db_type.startsWith("timestamp");
export const isRange = ({ db_type }: Field): boolean => /range\b/.test(db_type);
export const isText = (field: Field): boolean =>
  !isArray(field) && !field.picklist && /^(text|character|citext|name|"char")/.test(field.db_type);

/** The initial width of a column, in pixels. */
export function widthOf(field: Field): number {
  if (field.ref_table && !isArray(field)) return 208; // leaves room for the record's name
  if (isArray(field) || isJson(field) || WIDE.has(field.type)) return 240;
  if (isNumber(field)) return 112;
  if (isBoolean(field)) return 96;
  if (isDate(field)) return 120;
  if (isTime(field)) return 200;
  if (field.db_type === "uuid") return 300;
  return 208;
}

export function shown(value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? writeJson(value) : String(value);
}

export function shortTime(value: string): string {
  return value.replace(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d+)?\+00(?::?00)?$/, "$1 $2$3 UTC");
}

/** The address of a value that may be opened; only http and https are links. */
export function linkOf(value: Json | undefined): string | null {
  if (typeof value !== "string" || !/^https?:\/\/\S+$/i.test(value)) return null;
  try {
    return new URL(value).href;
  } catch {
    return null;
  }
}

const NAMES = ["name", "title", "label", "fullname", "full_name", "subject", "companyname", "company_name", "displayname", "display_name"];
const CODES = ["email", "street", "code", "sku", "slug"];
const FIRST = /^first_?name$/i;
const LAST = /^last_?name$/i;

/** The columns that hold the name of a record, such as a first and a last name; empty if no column names it. */
export function nameFields(info: TableInfo): Field[] {
  const open = info.field.filter((field) => !field.sealed && !isArray(field) && !isJson(field));
  const called = (names: readonly string[]): Field | undefined => names.map((name) => open.find((field) => field.name.toLowerCase() === name)).find(Boolean);
  const whole = called(NAMES);
  if (whole) return [whole];
  const parts = [FIRST, LAST].flatMap((pattern) => open.find(({ name }) => pattern.test(name)) ?? []);
  if (parts.length > 0) return parts;
  const code = called(CODES);
  return code ? [code] : [];
}

/** The column that best identifies a record for a reader; null if only its key does. */
export function labelField(info: TableInfo): Field | null {
  const [named] = nameFields(info);
  return named ?? info.field.find((field) => !field.sealed && (field.name.toLowerCase() === "description" || (isText(field) && !field.is_primary_key))) ?? null;
}

/** The name of a record by the columns of `nameFields`; empty if all of them are. */
export const nameIn = (fields: readonly Field[], row: Row): string => fields.map(({ name }) => shown(row[name])).filter(Boolean).join(" ");

const QUOTED = /^['"(\s]|^$|,|[)\s]$|^\.\.?$/;

/** One value of an identifier, in quotes if it would not be one value without them. */
export function partOf(value: Json, field: Field | undefined): string {
  const text = field?.type === "json" ? writeJson(value) : shown(value);
  return QUOTED.test(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

/** The identifier of a row, as `recordPath` takes it; null without a key. */
export function idOf(info: TableInfo, row: Row): string | null {
  if (info.primary_key.length === 0) return null;
  const values = info.primary_key.map((name) => row[name]);
  if (values.some((value) => value === null || value === undefined)) return null;
  return values.map((value, index) => partOf(value!, info.field.find(({ name }) => name === info.primary_key[index]))).join(",");
}

export function labelOf(info: TableInfo, row: Row): string {
  const named = nameIn(nameFields(info), row);
  const field = labelField(info);
  const value = named || (field ? shown(row[field.name]) : "");
  return value || `${info.label} ${idOf(info, row) ?? ""}`.trim();
}
