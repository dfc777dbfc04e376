import { afterEach, expect, test } from "vitest";
import { loadLanguage, setLanguage } from "../lib/language";
import { planText } from "./plantexts";

afterEach(() => setLanguage("en"));

test.each([
  ["Cell number credits", "Mobilnummern"],
  ["2000 Cell Numbers", "2.000 Mobilnummern"],
  ["Up to 5 users, 500 contact credits and 100 credits.", "Bis zu 5 Benutzer, 500 Kontakt-Credits und 100 Credits."],
  ["Up to 1,000", "Bis zu 1.000"],
  ["5 keys", "5 Schlüssel"],
  ["120,000", "120.000"],
  ["Not included", "Nicht enthalten"],
  // Texts written by the operator.
  ["Up to 5 friends", "Up to 5 friends"],
  ["24/7 support", "24/7 support"],
  ["-", "-"],
  ["", ""],
])("the plan text %s is shown in German as %s", async (stored, shown) => {
  expect(planText(stored)).toBe(stored.replace(/^2000/, "2,000"));
  await loadLanguage("de");
  expect(planText(stored)).toBe(shown);
});
