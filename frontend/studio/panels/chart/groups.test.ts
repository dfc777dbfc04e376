import { expect, test } from "vitest";
import type { Field, TableInfo } from "../../api/types";
import { firstGroup, partsOf, readChoice, requestOf, scaleOf } from "./groups";

const field = (name: string, db_type: string, type = "string"): Field => ({ name, db_type, type, picklist: null, sealed: false, is_primary_key: false, ref_table: null }) as Field;
const INFO = { field: [field("id", "integer", "id"), field("placed", "timestamp with time zone"), field("total", "numeric", "decimal"), field("status", "text")] } as TableInfo;

test("a table with a timestamp column is grouped by month", () => expect(firstGroup(INFO)).toBe("month:placed"));

test.each([
  [{ group: "month:placed", measure: "count" }, "MONTH(placed) AS label,COUNT(*) AS value", "MONTH(placed)", "label"],
  [{ group: "status", measure: "sum:total" }, "status AS label,SUM(total) AS value", "status", "value desc"],
])("the choice %j requests the fields %s", (choice, fields, group, order) => {
  expect(requestOf({ ...choice, kind: "bar" }, undefined)).toMatchObject({ fields, group, order });
});

test("an unknown choice in the URL falls back to the default", () => {
  expect(readChoice(INFO, new URLSearchParams("group=secret&measure=sum:status&kind=x"))).toEqual({ group: "month:placed", measure: "count", kind: "bar" });
});

test.each([
  [[5, 17], 0, 20],
  [[-3, 4], -4, 4],
  [[0], 0, 0.25],
  [[1234], 0, 1500],
])("the scale of %j is from %d to %d", (values, low, high) => {
  const scale = scaleOf(values);
  expect([scale.low, scale.high]).toEqual([low, high]);
});

test.each([
  ["2026-02-28 00:07:00+00", "2026-11-25", true],
  ["2026-02-28 23:50:00+00", "2026-11-25", false],
  ["2026-02-28 23:50:00+00", "2026-02-28T23:55:00Z", true],
])("with the last record at %s and the current time %s, the month is incomplete: %s", (ends, now, isPart) => {
  const starts = ["2026-01-01", "2026-02-01"] as const;
  expect(partsOf("month:placed", starts, { begins: "2026-01-01 00:05:00+00", ends }, Date.parse(now))).toEqual({ first: false, last: isPart });
});

test("a group without a period is always complete", () => expect(partsOf("status", ["paid", "open"], undefined, 0)).toEqual({ first: false, last: false }));
