import { expect, test } from "vitest";
import { Exact, readJson, writeJson } from "./json";

test.each([
  '{"n":12345678901234567890}',
  '[0.12345678901234567890,-12345678901234567890,1]',
  '{"j":{"deep":[100000000000000000001]},"t":"12345678901234567890 \\" 98765432109876543210"}',
  '{"t":"a\\\\","n":12345678901234567890}',
  '{"n":1.5,"b":true,"z":null}',
])("%s round-trips unchanged", (text) => expect(writeJson(readJson(text))).toBe(text));

test("safe numbers are plain numbers, larger ones are exact", () => {
  expect(readJson("[1234567890123456,1.25]")).toEqual([1234567890123456, 1.25]);
  expect(readJson("[12345678901234567890]")).toEqual([new Exact("12345678901234567890")]);
});
