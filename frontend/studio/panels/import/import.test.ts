import { expect, test } from "vitest";
import type { Field } from "../../api/types";
import { linesOf, mapped } from "./batches";
import { csvOfLines, readCsv } from "./files";

const field = (name: string, db_type: string, more: Partial<Field> = {}): Field => ({ name, db_type, type: "string", picklist: null, create: true, allow_null: true, has_default: false, ...more }) as Field;
const FIELDS = [field("id", "integer", { has_default: true }), field("full_name", "text"), field("tags", "text[]"), field("fixed", "text", { create: false })];

test("CSV separators and quotes are recognised", () => {
  expect(readCsv('\uFEFFa;b\r\n1;"x;y"\r\n;\r\n2;z\r\n')).toEqual({ head: ["a", "b"], lines: [["1", "x;y"], ["2", "z"]] });
});

test("columns are matched in any spelling, and read-only columns are left out", () => {
  expect(mapped(["Full name", "ID", "fixed", "?"], FIELDS)).toEqual(["full_name", "id", null, null]);
});

test("an empty cell is the default or null, and an invalid list is reported with its line", () => {
  const sheet = { head: ["id", "full_name", "tags"], lines: [["", "", ""], ["2", "B", '["x"]'], ["3", "C", "x"]] };
  const { good, bad } = linesOf(sheet, ["id", "full_name", "tags"], FIELDS);
  expect(good).toEqual([{ line: 2, values: { full_name: null, tags: null } }, { line: 3, values: { id: "2", full_name: "B", tags: ["x"] } }]);
  expect(bad.map(({ line }) => line)).toEqual([4]);
});

test("an export keeps every digit and escapes formulas", () => {
  expect(csvOfLines('{"n":12345678901234567890,"t":"=1+1","j":{"a":1}}\n')).toBe(`n,t,j\r\n12345678901234567890,"'=1+1","{""a"":1}"\r\n`);
});
