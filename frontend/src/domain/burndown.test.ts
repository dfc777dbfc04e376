import { expect, test } from "vitest";
import { burndown } from "./burndown";

const NOW = new Date("2026-11-28T23:00:00Z");
const known = { left: 100, changes: new Map([["2026-11-28", -10], ["2026-11-26", 60], ["2026-11-01", -7]]), spent: 60, renewson: new Date("2026-12-01T09:00:00Z"), now: NOW };

test("the past is counted back from the present balance, and the future at the recent pace", () => {
  const days = burndown(known);
  const at = (day: string) => days.find((one) => one.day === day);
  expect(days.map(({ day }) => day).slice(0, 2)).toEqual(["2026-10-30", "2026-10-31"]);
  expect(at("2026-11-28")).toEqual({ day: "2026-11-28", value: 100, ahead: false });
  expect(at("2026-11-27")!.value).toBe(110);
  expect(at("2026-11-25")!.value).toBe(50);
  expect(at("2026-10-31")!.value).toBe(57);
  expect(days.slice(30)).toEqual([
    { day: "2026-11-29", value: 98, ahead: true },
    { day: "2026-11-30", value: 96, ahead: true },
    { day: "2026-12-01", value: 94, ahead: true },
  ]);
});

test.each([
  ["without a renewal", null],
  ["of a plan that renews next year", new Date("2027-11-27T09:00:00Z")],
  ["of a plan that has ended", new Date("2026-11-27T09:00:00Z")],
])("a balance %s ends today", (_, renewson) => expect(burndown({ ...known, renewson })).toHaveLength(30));

test("a balance is never below zero", () => {
  expect(burndown({ ...known, left: 3, spent: 90 }).map(({ value }) => value).slice(-2)).toEqual([0, 0]);
});
