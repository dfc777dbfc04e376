import { expect, test } from "vitest";
import { csvOf } from "./csv";

test.each([
  [["a", 1], "a,1"],
  [['say "x", please', 2], '"say ""x"", please",2'],
  [["two\nlines", -3], '"two\nlines",-3'],
  [["=1+1", "@x"], `"'=1+1","'@x"`],
])("%j is written as %s", (row, line) => {
  expect(csvOf(["name", "count"], [row])).toBe(`name,count\r\n${line}\r\n`);
});
