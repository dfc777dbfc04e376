/** A filter as the builder shows it: groups of conditions. */

export type Join = "AND" | "OR";

export interface Condition {
  kind: "condition";
  field: string;
  op: Op;
  /** One value; several for IN, two for BETWEEN, none for IS NULL. */
  values: string[];
}

export interface Group {
  kind: "group";
  join: Join;
  items: Node[];
}

export type Node = Condition | Group;

export const OPS = [
  "=", "!=", ">", ">=", "<", "<=", "IN", "NOT IN", "BETWEEN", "CONTAINS", "NOT CONTAINS", "STARTS WITH", "ENDS WITH", "LIKE", "ILIKE",
  "IS NULL", "IS NOT NULL", "IS TRUE", "IS FALSE", "MATCHES", "OVERLAPS",
] as const;
export type Op = (typeof OPS)[number];

const NO_VALUE: readonly Op[] = ["IS NULL", "IS NOT NULL", "IS TRUE", "IS FALSE"];
const LISTS: readonly Op[] = ["IN", "NOT IN", "OVERLAPS"];

/** The number of values of an operator; -1 means a list. */
export function arity(op: Op): number {
  if (NO_VALUE.includes(op)) return 0;
  if (LISTS.includes(op)) return -1;
  return op === "BETWEEN" ? 2 : 1;
}

export const EMPTY: Group = { kind: "group", join: "AND", items: [] };

const PLAIN_NAME = /^[A-Za-z]\w*$/;
const KEYWORDS = new Set(["and", "or", "not", "nor", "xor", "in", "is", "like", "ilike", "contains", "between", "null", "matches", "overlaps"]);

export function nameOf(field: string): string {
  return PLAIN_NAME.test(field) && !KEYWORDS.has(field.toLowerCase()) ? field : `"${field.replaceAll('"', '""')}"`;
}

export const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Writes a path: names of relations and a column, joined by dots. */
const pathOf = (field: string, columns: ReadonlySet<string>): string =>
  columns.has(field) ? nameOf(field) : field.split(".").map(nameOf).join(".");

export function write(node: Node, columns: ReadonlySet<string> = new Set(), top = true): string {
  if (node.kind === "group") {
    const parts = node.items.map((item) => write(item, columns, false)).filter(Boolean);
    const text = parts.join(` ${node.join} `);
    return top || parts.length < 2 ? text : `(${text})`;
  }
  if (!node.field) return "";
  const field = pathOf(node.field, columns);
  const count = arity(node.op);
  if (count === 0) return `${field} ${node.op}`;
  if (count === -1) return `${field} ${node.op} (${node.values.map(quoted).join(", ")})`;
  if (count === 2) return `${field} BETWEEN ${quoted(node.values[0] ?? "")} AND ${quoted(node.values[1] ?? "")}`;
  return `${field} ${node.op} ${quoted(node.values[0] ?? "")}`;
}

/** How many conditions a filter has. */
export function size(node: Node): number {
  return node.kind === "condition" ? 1 : node.items.reduce((sum, item) => sum + size(item), 0);
}
