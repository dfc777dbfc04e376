import { expect, test } from "vitest";
import { parseFilter } from "./parse";
import { write } from "./tree";

const READABLE: [string, string][] = [
  ["", ""],
  ["city = New York", "city = 'New York'"],
  ["status = 'open' and total > 100", "status = 'open' AND total > '100'"],
  ["(a = 1) or (b = 2 and c != 3)", "a = '1' OR (b = '2' AND c != '3')"],
  ["a in (1, 'x,y', two words)", "a IN ('1', 'x,y', 'two words')"],
  ["a not in (1)", "a NOT IN ('1')"],
  ["a between 1 and 5 and b = 2", "a BETWEEN '1' AND '5' AND b = '2'"],
  ["name = 'O''Neil'", "name = 'O''Neil'"],
  ["name is null", "name IS NULL"],
  ["name = null", "name IS NULL"],
  ["name != null or flag is true", "name IS NOT NULL OR flag IS TRUE"],
  ["customer_by_customer_id.city = Oslo", "customer_by_customer_id.city = 'Oslo'"],
  ['"order" = 1', "order = '1'"],
  ['"a b"."in" >= 1', '"a b"."in" >= \'1\''],
  ["name contains 'a and b'", "name CONTAINS 'a and b'"],
  ["name starts with A", "name STARTS WITH 'A'"],
  ["about.address.city = 'x'", "about.address.city = 'x'"],
];

test.each(READABLE)("parses %j and writes it as %j", (text, written) => {
  const tree = parseFilter(text);
  expect(tree && write(tree)).toBe(written);
});

test.each(READABLE)("parses the written form of %j to the same tree", (text, written) => {
  const tree = parseFilter(text);
  expect(parseFilter(written)).toEqual(tree);
});

test.each(["a nor b", "a = 1 nor b = 2", "not (a = 1)", "a = :name", "cast(a as text) = 1", "a ~ 'x'", "a = 1)", "(a = 1", "= 1", "a"])(
  "the filter %j is left to the text mode",
  (text) => expect(parseFilter(text)).toBeNull(),
);

test("a column name with a dot is quoted as one name", () => {
  expect(write({ kind: "condition", field: "a.b", op: "=", values: ["1"] }, new Set(["a.b"]))).toBe(`"a.b" = '1'`);
});
