/** The input of a form, and the values to send for it. Pure. */
import { readJson, writeJson } from "../api/json";
import type { Field, Json, Row } from "../api/types";
import { geometryOf } from "../geometry/shapes";
import { isArray, isBoolean, isJson, isPostgis, shown } from "../lib/format";

/** Text by column name; null means NULL, and a missing column was not changed. */
export type Draft = Record<string, string | null>;

export class BadValue extends Error {
  constructor(readonly field: string, message: string) {
    super(message);
  }
}

export function textOf(field: Field, value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  // Coordinates are many short lists; a line for each would hide the rest of the record.
  if (isJson(field) && !geometryOf(field, value)) return writeJson(value, 2);
  return typeof value === "object" ? writeJson(value) : shown(value);
}

function parsed(field: Field, text: string): Json {
  try {
    return readJson(text) as Json;
  } catch {
    throw new BadValue(field.name, isArray(field) ? 'Write a list, such as ["a", "b"].' : "This is not JSON.");
  }
}

export function valueOf(field: Field, text: string | null): Json {
  if (text === null) return null;
  if (isBoolean(field)) return text === "" ? null : text === "true";
  if (isArray(field)) {
    const value = text.trim() === "" ? [] : parsed(field, text);
    if (!Array.isArray(value)) throw new BadValue(field.name, 'Write a list, such as ["a", "b"].');
    return value;
  }
  // A geometry may also be written as PostGIS reads it, such as POINT(1 2).
  if (isJson(field) || (isPostgis(field) && text.trim().startsWith("{"))) return parsed(field, text);
  // Numbers and dates are sent as text, which keeps every digit; empty input sends no value.
  return text;
}

/** The values to send. Throws BadValue for the first invalid text. */
export function valuesOf(fields: readonly Field[], draft: Draft): Row {
  const values: Row = {};
  for (const field of fields) {
    const text = draft[field.name];
    if (text === undefined) continue;
    const isBlank = text === "" && !/^(?:text|character|citext)/.test(field.db_type);
    values[field.name] = isBlank && !isArray(field) ? null : valueOf(field, text);
  }
  return values;
}

/** Only the differences from the record; a text that was typed and reverted is not a change. */
export function changesOf(fields: readonly Field[], draft: Draft, row: Row): Draft {
  return Object.fromEntries(
    Object.entries(draft).filter(([name, text]) => {
      const field = fields.find((other) => other.name === name);
      if (!field) return false;
      const before = row[name];
      return text === null ? before !== null : before === null || text !== textOf(field, before);
    }),
  );
}

/** The columns in which two versions of a record differ from what was to be written. */
export function conflictsOf(fields: readonly Field[], mine: Row, theirs: Row): Field[] {
  return fields.filter(({ name }) => name in mine && shown(mine[name]) !== shown(theirs[name]));
}
