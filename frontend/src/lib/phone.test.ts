import { expect, test } from "vitest";
import { type DialCode, countryOf, withDialCode } from "./phone";

const US: DialCode = { iso2: "us", dialCode: "1", name: "United States", priority: 0 };
const CANADA: DialCode = { iso2: "ca", dialCode: "1", name: "Canada", priority: 1 };
const GERMANY: DialCode = { iso2: "de", dialCode: "49", name: "Germany", priority: 0 };
const BARBADOS: DialCode = { iso2: "bb", dialCode: "1246", name: "Barbados", priority: 0 };
const CODES = [CANADA, BARBADOS, GERMANY, US];

test.each([
  ["+49 30 90182", "us", "de"],
  ["+1 415 555 0100", "de", "us"],
  ["+1 415 555 0100", "ca", "ca"],
  ["+1 246 230 0000", "us", "bb"],
  ["030 90182", "de", "de"],
  ["", "us", "us"],
  ["+", "ca", "ca"],
])("the country of %j with %s selected is %s", (phone, chosen, expected) => expect(countryOf(phone, CODES, chosen).iso2).toBe(expected));

test("selecting another country replaces the dial code and keeps the number", () => {
  expect(withDialCode("+1 415 555", US, "49")).toBe("+49 415555");
  expect(withDialCode("030 90182", US, "49")).toBe("+49 03090182");
  expect(withDialCode("", US, "49")).toBe("+49 ");
});
