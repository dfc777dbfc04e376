import { expect, test } from "vitest";
import { MASKED, contactAnswer } from "../testing/answers";
import { fieldOf, withRevealed } from "./reveal";

test("a field with a masked value is hidden", () => {
  expect(fieldOf(MASKED, "phone")).toEqual({ values: [{ text: "+**********", verified: null }], hidden: true });
  expect(fieldOf(MASKED, "business").values[0]?.verified).toBe(true);
  expect(fieldOf({ ...MASKED, emails: [] }, "personal")).toEqual({ values: [], hidden: false });
  expect(fieldOf({ ...MASKED, phone_numbers: [] }, "phone").hidden).toBe(false);
});

test("a reveal unmasks only the requested kind", () => {
  const card = withRevealed(MASKED, "business", contactAnswer(1));
  expect(fieldOf(card, "business")).toEqual({ values: [{ text: "p1@work.example", verified: true }], hidden: false });
  expect(fieldOf(card, "personal").hidden).toBe(true);
  expect(fieldOf(card, "phone").hidden).toBe(true);
});

test("a reveal without a result leaves the field empty", () => {
  expect(fieldOf(withRevealed(MASKED, "phone", undefined), "phone")).toEqual({ values: [], hidden: false });
});
