import { expect, test } from "vitest";
import { eventText, namedBy, targetText } from "./event";

test.each([
  ["signin_failed", "Sign-in failed"],
  ["reveal", "Reveal"],
  ["addon_bought", "Add-on bought"],
])("the event %s reads %s", (name, text) => {
  expect(eventText(name)).toBe(text);
});

test.each([
  ["plan_changed", "4", "plan"],
  ["addon_bought", "9", "plan"],
  ["key_created", "2", "key"],
  ["member_deleted", "7", "user"],
  ["password_changed", "7", "user"],
  ["invoice_paid", "INV-1", undefined],
  ["plan_changed", null, undefined],
  ["sessions_ended", "3", undefined],
])("the target of %s (%s) names %s", (event, target, named) => {
  expect(namedBy(event, target)).toBe(named);
});

test("a reason stands beside the target", () => {
  expect(targetText("Pro", { reason: "asked by phone" })).toBe("Pro: asked by phone");
  expect(targetText(null, null)).toBe("");
});
