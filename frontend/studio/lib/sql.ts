/** Rows as INSERT statements of PostgreSQL. Pure. */
import { Exact, writeJson } from "../api/json";
import type { Field, Json, Row, TableInfo } from "../api/types";
import { isArray, isBoolean, isNumber } from "./format";

const name = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A JSON list as an array literal: {"a","b"}. */
function arrayOf(value: Json): string {
  if (value === null) return "NULL";
  if (Array.isArray(value)) return `{${value.map(arrayOf).join(",")}}`;
  return `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function valueOf(field: Field, value: Json | undefined): string {
  if (value === null || value === undefined) return "NULL";
  if (value instanceof Exact) return isNumber(field) ? value.source : literal(value.source);
  if (isArray(field) && Array.isArray(value)) return literal(arrayOf(value));
  if (typeof value === "object") return literal(writeJson(value));
  return isBoolean(field) || (isNumber(field) && typeof value === "number") ? String(value) : literal(String(value));
}

/** One statement for all rows with their columns; names and values are quoted. */
export function insertsOf(info: TableInfo, rows: readonly Row[]): string {
  const fields = info.field.filter((field) => rows.every((row) => field.name in row));
  const lines = rows.map((row) => `  (${fields.map((field) => valueOf(field, row[field.name])).join(", ")})`);
  const table = info.name.split(".").map(name).join(".");
  return `INSERT INTO ${table} (${fields.map((field) => name(field.name)).join(", ")}) VALUES\n${lines.join(",\n")};\n`;
}
