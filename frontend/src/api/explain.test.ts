import { afterEach, expect, test } from "vitest";
import { loadLanguage, setLanguage } from "../lib/language";
import { ApiError } from "./errors";
import { explain, fieldErrors } from "./explain";

afterEach(() => setLanguage("en"));

const english = "The server's sentence.";

test.each([
  [{ reason: "seat_limit" }, "In Ihrem Tarif ist kein Platz mehr frei."],
  [{ reason: "not_found", case: "no_such_job" }, "Diesen Auftrag gibt es nicht."],
  [{ reason: "invalid", case: "too_many_addresses", count: 1200, limit: 1000 }, "1.200 Adressen sind zu viele; ein Auftrag fasst 1.000."],
  [{ reason: "card_refused", case: "insufficient_funds" }, "Ihre Karte ist nicht ausreichend gedeckt."],
  // A code of the bank without a text.
  [{ reason: "card_refused", case: "lost_card" }, "Zahlung fehlgeschlagen"],
  // Another message of a reason that has a text.
  [{ reason: "seat_limit", case: "seats_elsewhere" }, english],
  // Without the number that the text names.
  [{ reason: "list_full" }, english],
  [{ reason: "constructor" }, english],
  [{}, english],
])("the error %o is shown in German as %s", async (context, shown) => {
  const error = new ApiError(409, english, 409, context);
  expect(explain(error)).toBe(english);
  await loadLanguage("de");
  expect(explain(error)).toBe(shown);
});

test.each([
  [33, "Too many attempts. Please wait 33 seconds and try again."],
  [3598, "Too many attempts. Please wait 60 minutes and try again."],
  [80_000, "Too many attempts. Please wait 23 hours and try again."],
  [undefined, "Too many attempts. Please wait 60 seconds and try again."],
])("the rate limit message shows a wait of %s seconds in a suitable unit", (seconds, shown) => {
  expect(explain(new ApiError(429, english, 429, { reason: "rate_limit" }, seconds))).toBe(shown);
});

test("field errors are translated into German by their case", async () => {
  const fields = { password: "Password too short", email: "Invalid email", name: "Unknown" };
  const field_errors = { password: { case: "password_short", limit: 8 }, email: { case: "email_invalid" } };
  const error = new ApiError(422, english, 422, { reason: "invalid", fields, field_errors });
  expect(fieldErrors(error)).toEqual(fields);
  await loadLanguage("de");
  expect(fieldErrors(error)).toEqual({
    password: "Das Passwort muss mindestens 8 Zeichen lang sein",
    email: "Ungültige E-Mail-Adresse",
    name: "Unknown",
  });
});

test.each([
  [33, "Please wait 33 seconds"],
  [3598, "Please wait 60 minutes"],
  [80_000, "Please wait 23 hours"],
])("a 429 without a reason shows a wait of %d seconds in a suitable unit", (seconds, text) => {
  expect(explain(new ApiError(429, "x", 429, {}, seconds))).toContain(text);
});
