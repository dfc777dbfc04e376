import { afterEach, expect, test } from "vitest";
import { loadLanguage, setLanguage } from "../lib/language";
import { ApiError } from "./errors";
import { explain, fieldErrors } from "./explain";

afterEach(() => setLanguage("en"));

test.each([
  ["There are no seats left in your plan.", "In Ihrem Tarif ist kein Platz mehr frei."],
  ["Contacts can be exported 20 times a day. Try again later.", "Kontakte können 20-mal am Tag exportiert werden. Bitte versuchen Sie es später erneut."],
  ["1,200 addresses are too many; a job takes 1,000.", "1.200 Adressen sind zu viele; ein Auftrag fasst 1.000."],
  ["The image is larger than 2 MB.", "Das Bild ist größer als 2 MB."],
  // Without a translation.
  ["Table 7 has no such field.", "Table 7 has no such field."],
  ["constructor", "constructor"],
])("the refusal %s is read in German as %s", async (message, shown) => {
  const error = new ApiError(409, message, 409, { scope: "resource", fields: { email: message } });
  expect([explain(error), fieldErrors(error)]).toEqual([message, { email: message }]);
  await loadLanguage("de");
  expect([explain(error), fieldErrors(error)]).toEqual([shown, { email: shown }]);
});

test.each([
  [33, "Please wait 33 seconds"],
  [3598, "Please wait 60 minutes"],
  [80_000, "Please wait 23 hours"],
])("a wait of %d seconds is told in a unit that fits", (seconds, text) => {
  expect(explain(new ApiError(429, "x", 429, {}, seconds))).toContain(text);
});
