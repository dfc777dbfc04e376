import { expect, test } from "vitest";
import type { Field, Json } from "../api/types";
import { BadValue, type Draft, changesOf, conflictsOf, textOf, valuesOf } from "./draft";

const field = (name: string, db_type: string): Field => ({ name, db_type, type: "string", picklist: null }) as Field;
const FIELDS = [field("n", "integer"), field("t", "text"), field("b", "boolean"), field("j", "jsonb"), field("a", "text[]"), field("d", "date"), field("g", "geometry(Point,4326)")];

const SENT: [Record<string, string | null>, Record<string, Json>][] = [
  [{ n: "12345678901234567890" }, { n: "12345678901234567890" }],
  [{ n: "" }, { n: null }],
  [{ d: "" }, { d: null }],
  [{ t: "" }, { t: "" }],
  [{ t: null }, { t: null }],
  [{ b: "false" }, { b: false }],
  [{ b: "" }, { b: null }],
  [{ j: '{"a": 1}' }, { j: { a: 1 } }],
  [{ a: "" }, { a: [] }],
  [{ a: '["x"]' }, { a: ["x"] }],
  [{ g: ' {"type": "Point", "coordinates": [1, 2]}' }, { g: { type: "Point", coordinates: [1, 2] } }],
  [{ g: "POINT(1 2)" }, { g: "POINT(1 2)" }],
];

test.each(SENT)("%j is sent as %j", (draft, values) => expect(valuesOf(FIELDS, draft)).toEqual(values));

test.each<Draft>([{ j: "{" }, { a: "x" }, { a: "{}" }, { g: "{" }])("%j is rejected as an invalid value", (draft) => {
  expect(() => valuesOf(FIELDS, draft)).toThrow(BadValue);
});

test("a value edited back to the original is not a change", () => {
  expect(changesOf(FIELDS, { n: "5", t: "new", d: null }, { n: 5, t: "old", d: null })).toEqual({ t: "new" });
});

test("an empty string differs from null", () => {
  expect(changesOf(FIELDS, { t: "" }, { t: null })).toEqual({ t: "" });
});

test("a conflict lists the columns with different changes", () => {
  expect(conflictsOf(FIELDS, { n: "5", t: "mine" }, { n: 5, t: "theirs", b: true }).map(({ name }) => name)).toEqual(["t"]);
});

test("JSON is indented, lists and geometries stay on one line", () => {
  expect(textOf(FIELDS[3]!, { a: 1 })).toBe('{\n  "a": 1\n}');
  expect(textOf(FIELDS[4]!, ["x", "y"])).toBe('["x","y"]');
  expect(textOf(FIELDS[6]!, { type: "Point", coordinates: [1, 2] })).toBe('{"type":"Point","coordinates":[1,2]}');
});
