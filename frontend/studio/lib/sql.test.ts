import { expect, test } from "vitest";
import type { Field, TableInfo } from "../api/types";
import { insertsOf } from "./sql";

const field = (name: string, db_type: string, type = "string"): Field => ({ name, db_type, type, picklist: null, ref_table: null }) as Field;
const INFO = {
  name: "item",
  field: [field("id", "integer", "id"), field('a"b', "text"), field("ok", "boolean", "boolean"), field("tags", "text[]"), field("data", "jsonb", "json"), field("left out", "text")],
} as TableInfo;

test("names and values are quoted, and columns missing from the rows are omitted", () => {
  const row = { id: 1, 'a"b': "it's", ok: true, tags: ["x", 'y"z', null], data: { a: [1, "'"] } };
  expect(insertsOf(INFO, [row, { id: 2, 'a"b': null, ok: null, tags: [], data: null }])).toBe(
    `INSERT INTO "item" ("id", "a""b", "ok", "tags", "data") VALUES
  (1, 'it''s', true, '{"x","y\\"z",NULL}', '{"a":[1,"''"]}'),
  (2, NULL, NULL, '{}', NULL);
`,
  );
});
