import { expect, test } from "vitest";
import { localTime } from "./localtime";

const NOW = new Date("2026-11-24T13:05:00Z");

test.each([
  ["DE", { time: "14:05", city: "Berlin" }],
  ["HK", { time: "21:05", city: "Hong Kong" }],
  ["US", null],
  ["", null],
])("the time in %s", (country, expected) => expect(localTime(country, NOW)).toEqual(expected));
