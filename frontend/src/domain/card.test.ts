import { expect, test } from "vitest";
import { expiryOf, groupedExpiry, groupedNumber, isCardNumber, isPast } from "./card";

const NOW = new Date("2026-06-01T00:00:00Z");

test("card number and expiry are formatted and validated", () => {
  expect([groupedNumber("4242424242424242"), groupedExpiry("1234"), groupedExpiry("1")]).toEqual(["4242 4242 4242 4242", "12 / 34", "1"]);
  expect([isCardNumber("4242 4242 4242 4242"), isCardNumber("4242 4242 4242 4241"), isCardNumber("42")]).toEqual([true, false, false]);
  expect([expiryOf("13 / 34"), expiryOf("12 / 34")]).toEqual([null, { month: 12, year: 2034 }]);
  expect([isPast({ month: 5, year: 2026 }, NOW), isPast({ month: 6, year: 2026 }, NOW)]).toEqual([true, false]);
});
