import { expect, test } from "vitest";
import { changeOf, periodOf } from "./reveals";

test("each day of a period is paired with the same day of the previous period", () => {
  const days = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
  const found = periodOf(days, [
    { date: "2026-03-01", count: 6, people: 2 },
    { date: "2026-03-04", count: 9, people: 5 },
    { date: "2025-01-01", count: 9, people: 9 },
  ]);
  expect(found).toEqual({
    points: [
      { label: "3 Mar 2026", value: 0, before: 2 },
      { label: "4 Mar 2026", value: 5, before: 0 },
    ],
    total: 5,
    before: 2,
    values: 9,
  });
});

test.each([
  [5, 2, 150],
  [1, 2, -50],
  [0, 3, -100],
  [3, 0, null],
])("a total of %i after %i is a change of %s percent", (total, before, change) => expect(changeOf({ total, before })).toBe(change));
