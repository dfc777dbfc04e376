import { expect, test } from "vitest";
import { recordPath } from "./client";

test.each([
  ["7", "x/_table/t/7"],
  ["1,new", "x/_table/t/1,new"],
  ["1,'a,b'", "x/_table/t/1,'a%2Cb'"],
  ["'a/b,c'", "x/_table/t/a%2Fb%2Cc"],
  ["'''a'''", "x/_table/t/'a'"],
  ["a,b", "x/_table/t/a,b"],
  ["''", "x/_table/t?ids=''"],
  ["'..'", "x/_table/t?ids='..'"],
  ["'...'", "x/_table/t/..."],
])("the record %s has the path %s", (id, path) => {
  expect(decodeURIComponent(recordPath("x", "t", id))).toBe(decodeURIComponent(path));
});
