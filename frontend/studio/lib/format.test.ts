import { expect, test } from "vitest";
import type { Field, Row, TableInfo } from "../api/types";
import { idOf, linkOf, shortTime } from "./format";

const keyed = (...types: string[]): TableInfo =>
  ({ primary_key: types.map((_, index) => `k${index}`), field: types.map((type, index) => ({ name: `k${index}`, type }) as Field) }) as TableInfo;
const identifier = (info: TableInfo, values: unknown[]) => idOf(info, Object.fromEntries(values.map((value, index) => [`k${index}`, value])) as Row);

test.each<[string[], unknown[], string | null]>([
  [["string"], ["plain text"], "plain text"],
  [["integer", "string"], [1, "new"], "1,new"],
  [["integer", "string"], [1, "[2024-01-01,2025-01-01)"], "1,'[2024-01-01,2025-01-01)'"],
  [["string"], ["a,b"], "'a,b'"],
  [["string"], ["it's"], "it's"],
  [["string"], ["'a'"], "'''a'''"],
  [["string"], [""], "''"],
  [["string"], [".."], "'..'"],
  [["string", "string"], ["", " a "], "'',' a '"],
  [["string"], ['"x"'], `'"x"'`],
  [["string"], ["(a)"], "'(a)'"],
  [["json"], [{ k: [1, 2] }], `'{"k":[1,2]}'`],
  [["json"], ["5"], `'"5"'`],
  [["array"], [["a,b"]], `'["a,b"]'`],
  [["string"], [null], null],
])("a key of %j with %j is named by %s", (types, values, expected) => {
  expect(identifier(keyed(...types), values)).toBe(expected);
});

test.each(["javascript:alert(1)", "data:text/html,x", "JAVASCRIPT:x", "http://a b", "//x.example", "<b>x</b>", "https://", null, 5])(
  "%j is shown as text without a link",
  (value) => expect(linkOf(value)).toBeNull(),
);

test("http and https addresses are links", () => {
  expect(linkOf("https://x.example/a?b=1")).toBe("https://x.example/a?b=1");
});

test("a time in UTC is labelled as UTC", () => {
  expect(shortTime("2026-01-02 03:04:05.678+00")).toBe("2026-01-02 03:04:05.678 UTC");
  expect(shortTime("2026-01-02 03:04:05+02")).toBe("2026-01-02 03:04:05+02");
});
