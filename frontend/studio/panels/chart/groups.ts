/** Builds the grouped request of a chart, and turns its rows into points. Pure. */
import type { Params } from "../../api/client";
import type { Field, Json, Row, TableInfo } from "../../api/types";
import { nameOf } from "../../filter/tree";
import { isArray, isDate, isJson, isNumber, isTime, shown } from "../../lib/format";

export const PERIODS = ["year", "quarter", "month", "week", "day"] as const;
export const MEASURES = ["sum", "avg", "min", "max"] as const;
export const KINDS = ["bar", "line", "table"] as const;
export type Kind = (typeof KINDS)[number];
export const MAX_GROUPS = 200;

export interface Choice {
  /** `month:placed` for a period, otherwise the name of a column. */
  group: string;
  /** `count`, or `sum:total`. */
  measure: string;
  kind: Kind;
}

export interface Point {
  label: string;
  value: number | null;
  /** Whether the records cover only a part of the point's period, such as the current month. */
  isPart?: boolean;
}

export interface Offered {
  value: string;
  text: string;
}

const groupable = (field: Field): boolean => !field.sealed && !isArray(field) && !isJson(field);

export function groupsOf(info: TableInfo): Offered[] {
  const dates = info.field.filter((field) => !field.sealed && (isDate(field) || isTime(field)));
  const periods = dates.flatMap(({ name }) => PERIODS.map((period) => ({ value: `${period}:${name}`, text: `${name} by ${period}` })));
  const plain = info.field.filter((field) => groupable(field) && !isTime(field)).map(({ name }) => ({ value: name, text: name }));
  return [...periods, ...plain];
}

export function measuresOf(info: TableInfo): Offered[] {
  const numbers = info.field.filter((field) => isNumber(field) && !field.sealed && !field.is_primary_key && !field.ref_table);
  return [{ value: "count", text: "count" }, ...numbers.flatMap(({ name }) => MEASURES.map((measure) => ({ value: `${measure}:${name}`, text: `${measure} of ${name}` })))];
}

/** The default chart: by month if there is a date column, else by the first suitable text column. */
export function firstGroup(info: TableInfo): string {
  const date = info.field.find((field) => !field.sealed && (isTime(field) || isDate(field)));
  if (date) return `month:${date.name}`;
  const words = info.field.find((field) => groupable(field) && (field.picklist || !isNumber(field)));
  return words?.name ?? info.field[0]?.name ?? "";
}

function known(offered: readonly Offered[], value: string | null, otherwise: string): string {
  return offered.some((one) => one.value === value) && value !== null ? value : otherwise;
}

export function readChoice(info: TableInfo, params: URLSearchParams): Choice {
  const kind = KINDS.find((name) => name === params.get("kind"));
  return { group: known(groupsOf(info), params.get("group"), firstGroup(info)), measure: known(measuresOf(info), params.get("measure"), "count"), kind: kind ?? "bar" };
}

export function requestOf({ group, measure }: Choice, filter: string | undefined): Params {
  const [period, date] = group.includes(":") ? group.split(/:(.*)/s) : ["", ""];
  const by = date ? `${(period ?? "").toUpperCase()}(${nameOf(date)})` : nameOf(group);
  const [aggregate = "", column = ""] = measure.split(/:(.*)/s);
  const value = measure === "count" ? "COUNT(*)" : `${aggregate.toUpperCase()}(${nameOf(column)})`;
  const order = date ? "label" : "value desc";
  return { fields: `${by} AS label,${value} AS value`, group: by, order, filter, limit: MAX_GROUPS };
}

function labelled(value: Json | undefined, group: string): string {
  const text = value === null || value === undefined ? "null" : shown(value);
  return group.startsWith("month:") ? text.slice(0, 7) : group.startsWith("year:") ? text.slice(0, 4) : text.slice(0, 40);
}

export function pointsOf(rows: readonly Row[], group: string): Point[] {
  return rows.map((row) => ({ label: labelled(row.label, group), value: row.value === null || row.value === undefined ? null : Number(row.value) }));
}

/** Round steps that cover the values: from the lowest, or zero, to the highest. */
export function scaleOf(values: readonly number[], lines = 4): { low: number; high: number; steps: number[] } {
  const top = Math.max(0, ...values);
  const bottom = Math.min(0, ...values);
  const rough = (top - bottom || 1) / lines;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const low = Math.floor(bottom / step) * step;
  const high = Math.max(low + step, Math.ceil(top / step) * step);
  return { low, high, steps: Array.from({ length: Math.round((high - low) / step) + 1 }, (_, index) => low + index * step) };
}

const DAY_MS = 86_400_000;
const LENGTHS: Record<string, (start: Date) => Date> = {
  year: (start) => new Date(Date.UTC(start.getUTCFullYear() + 1, 0, 1)),
  quarter: (start) => new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 3, 1)),
  month: (start) => new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1)),
  week: (start) => new Date(start.getTime() + 7 * DAY_MS),
  day: (start) => new Date(start.getTime() + DAY_MS),
};
// Tolerance: a gap of a night at either end still counts as complete.
const GAP = 1 / 40;

/** The first and the last time among the records of a chart by a period; null for other groups. */
export function endsRequest({ group }: Choice, filter: string | undefined): Params | null {
  const [period, date] = group.split(/:(.*)/s);
  if (!date || !period) return null;
  return { fields: `MIN(${nameOf(date)}) AS begins,MAX(${nameOf(date)}) AS ends`, filter };
}

/** A time of the API as milliseconds: `2026-05-01 09:00:00+00`, or a date. */
function timeOf(value: Json | undefined): number {
  return Date.parse(shown(value).replace(" ", "T").replace(/(:\d\d(?:\.\d+)?[+-]\d\d)$/, "$1:00"));
}

/** Which ends of the data leave their period incomplete. `starts` are the first and the last group as the API returns
 them. */
export function partsOf(group: string, starts: readonly [Json | undefined, Json | undefined], ends: Row | undefined, now: number): { first: boolean; last: boolean } {
  const [period = ""] = group.split(":");
  const length = LENGTHS[period];
  const [begin, final] = starts.map((value) => timeOf(value)) as [number, number];
  const [first, last] = [timeOf(ends?.begins), timeOf(ends?.ends)];
  if (!length || [begin, final, first, last].some(Number.isNaN)) return { first: false, last: false };
  const span = (start: number): number => length(new Date(start)).getTime() - start;
  return {
    first: first - begin > GAP * span(begin),
    last: final + span(final) - last > GAP * span(final) * (now < final + span(final) ? 0 : 1),
  };
}
