import { expect, test } from "vitest";
import { phoneNumber } from "./phonenumber";

test.each([
  ["+493012345678", { text: "+49 30 12345678", country: "DE", line: "landline" }],
  ["+4915112345678", { text: "+49 1511 2345678", country: "DE", line: "mobile" }],
  ["+14155550132", { text: "+1 415 555 0132", country: "US", line: "either" }],
  ["+16965550151", { text: "+1 696 555 0151", country: "US", line: null }],
  ["no number", { text: "no number", country: "", line: null }],
])("%s is formatted and classified", (value, expected) => expect(phoneNumber(value)).toEqual(expected));
