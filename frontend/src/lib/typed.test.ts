import { expect, test } from "vitest";
import { expiryOf, groupedExpiry, groupedNumber, isCardNumber, isPast } from "./card";
import { cents, dollars } from "./money";
import { isoToTyped, typedToIso } from "./typeddate";

const NOW = new Date("2026-06-01T00:00:00Z");

test.each([
  ["10-01-2026", "2026-01-10"],
  ["1/2/2026", "2026-02-01"],
  ["31-02-2026", null],
  ["00-01-2026", null],
  ["2026-01-10", null],
  ["", null],
])("the typed date %j is %j", (text, iso) => expect(typedToIso(text)).toBe(iso));

test("a date is shown as it is typed", () => expect([isoToTyped("2026-01-10"), isoToTyped("")]).toEqual(["10-01-2026", ""]));

test("amounts", () => {
  expect([dollars(49), dollars("1990.00"), dollars(12.5), dollars(-3)]).toEqual(["$49", "$1,990", "$12.50", "-$3"]);
  expect([cents(123456), cents(-50)]).toEqual(["$1,234.56", "-$0.50"]);
});

test("a card as it is typed", () => {
  expect([groupedNumber("4242424242424242"), groupedExpiry("1234"), groupedExpiry("1")]).toEqual(["4242 4242 4242 4242", "12 / 34", "1"]);
  expect([isCardNumber("4242 4242 4242 4242"), isCardNumber("4242 4242 4242 4241"), isCardNumber("42")]).toEqual([true, false, false]);
  expect([expiryOf("13 / 34"), expiryOf("12 / 34")]).toEqual([null, { month: 12, year: 2034 }]);
  expect([isPast({ month: 5, year: 2026 }, NOW), isPast({ month: 6, year: 2026 }, NOW)]).toEqual([true, false]);
});
