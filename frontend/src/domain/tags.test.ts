import { expect, test } from "vitest";
import { areTags, tagsOf } from "./tags";

test.each([
  ["", []],
  [" , ", []],
  ["hot", ["hot"]],
  [" hot, call back ,hot,", ["hot", "call back"]],
])("the tags of %j are %j", (text, tags) => expect(tagsOf(text)).toEqual(tags));

test("at most 20 tags of 40 characters are accepted", () => {
  expect(areTags(Array.from({ length: 20 }, (_, index) => String(index).padEnd(40, "x")))).toBe(true);
  expect(areTags(Array.from({ length: 21 }, String))).toBe(false);
  expect(areTags(["x".repeat(41)])).toBe(false);
});
