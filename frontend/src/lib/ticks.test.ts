import { expect, test } from "vitest";
import { ticksOf } from "./ticks";

test.each([
  [0, [0]],
  [1, [0, 1, 2, 3]],
  [3, [0, 1, 2, 3]],
  [12, [0, 5, 10, 15]],
  [44, [0, 20, 40, 60]],
  [1200, [0, 500, 1000, 1500]],
])("the axis of %s is %j", (largest, ticks) => {
  expect(ticksOf(largest)).toEqual(ticks);
});
