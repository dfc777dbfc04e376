import { expect, test } from "vitest";
import { MASKED, contactAnswer } from "../testing/answers";
import { fieldOf, withRevealed } from "./reveal";

test("a field is hidden while one of its values is masked", () => {
  expect(fieldOf(MASKED, "phone")).toEqual({ values: [{ text: "+**********", verified: null }], hidden: true });
  expect(fieldOf(MASKED, "business").values[0]?.verified).toBe(true);
  expect(fieldOf({ ...MASKED, emails: [] }, "personal")).toEqual({ values: [], hidden: false });
  expect(fieldOf({ ...MASKED, phone_numbers: [] }, "phone").hidden).toBe(false);
});

test("a reveal opens its own kind and leaves the others", () => {
  const card = withRevealed(MASKED, "business", contactAnswer(1));
  expect(fieldOf(card, "business")).toEqual({ values: [{ text: "p1@work.example", verified: true }], hidden: false });
  expect(fieldOf(card, "personal").hidden).toBe(true);
  expect(fieldOf(card, "phone").hidden).toBe(true);
});

test("a reveal that found nothing leaves an empty field", () => {
  expect(fieldOf(withRevealed(MASKED, "phone", undefined), "phone")).toEqual({ values: [], hidden: false });
});
