import { expect, test } from "vitest";
import { cents, dollars } from "./money";
import { inputFromIso, isoFromInput } from "./dateinput";

test.each([
  ["10-01-2026", "2026-01-10"],
  ["1/2/2026", "2026-02-01"],
  ["31-02-2026", null],
  ["00-01-2026", null],
  ["2026-01-10", null],
  ["", null],
])("the typed date %j is parsed as %j", (text, iso) => expect(isoFromInput(text)).toBe(iso));

test("an ISO date is shown in the input format", () => expect([inputFromIso("2026-01-10"), inputFromIso("")]).toEqual(["10-01-2026", ""]));

test("amounts are formatted in dollars", () => {
  expect([dollars(49), dollars("1990.00"), dollars(12.5), dollars(-3)]).toEqual(["$49", "$1,990", "$12.50", "−$3"]);
  expect([cents(123456), cents(-50)]).toEqual(["$1,234.56", "−$0.50"]);
});
