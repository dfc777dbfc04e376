import { expect, test } from "vitest";
import { rowsOf } from "./useRowWindow";

const indexes = (view: Parameters<typeof rowsOf>[0], count = 1000) => rowsOf(view, count).map(({ index }) => index);

test("rows are in order before scrolling", () => {
  expect(indexes({ first: 10, slots: 4, base: 10 })).toEqual([10, 11, 12, 13]);
});

test("a slot keeps its position in the DOM while the grid is scrolled", () => {
  expect(indexes({ first: 11, slots: 4, base: 10 })).toEqual([14, 11, 12, 13]);
  expect(indexes({ first: 8, slots: 4, base: 10 })).toEqual([10, 11, 8, 9]);
  const [near, far] = [10, 500].map((first) => rowsOf({ first, slots: 4, base: 10 }, 1000).map(({ slot }) => slot));
  expect(far).toEqual(near);
});

test.each([0, 1, 7, 100, 999])("every visible row from row %d on is rendered once", (first) => {
  expect(indexes({ first, slots: 5, base: 3 }).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4].map((row) => first + row).filter((row) => row < 1000));
});

test("a list shorter than the viewport renders only its rows", () => {
  expect(indexes({ first: 0, slots: 8, base: 0 }, 2)).toEqual([0, 1]);
  expect(indexes({ first: 0, slots: 8, base: 0 }, 0)).toEqual([]);
});
