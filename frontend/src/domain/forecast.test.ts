import { expect, test } from "vitest";
import { forecast, leftAtRenewal } from "./forecast";

const NOW = new Date("2026-11-01T00:00:00Z");
const RENEWAL = new Date("2026-11-21T00:00:00Z");

test.each<[string, number, number, ReturnType<typeof forecast>]>([
  ["one credit a day lasts as many days as there are credits", 10, 30, { until: "2026-11-11", short: true }],
  ["longer than the period", 100, 30, { until: "2027-02-09", short: false }],
  ["no credits", 0, 30, null],
  ["nothing spent", 100, 0, null],
  ["too few spent to tell", 100, 2, null],
  ["years ahead", 100_000, 3, null],
])("%s", (_, left, spent, expected) => expect(forecast(left, spent, RENEWAL, NOW)).toEqual(expected));

test("the tick marks the forecast balance at the renewal", () => {
  expect(leftAtRenewal(50, 30, 100, RENEWAL, NOW)).toBe(0.3);
  expect(leftAtRenewal(10, 30, 100, RENEWAL, NOW)).toBe(0);
  expect(leftAtRenewal(50, 30, 100, null, NOW)).toBeNull();
  expect(leftAtRenewal(50, 0, 100, RENEWAL, NOW)).toBeNull();
  expect(leftAtRenewal(50, 30, 100, NOW, RENEWAL)).toBeNull();
});
