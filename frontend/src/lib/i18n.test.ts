import { expect, test } from "vitest";
import { t } from "./i18n.dashboard";

test("a text is found by its path", () => expect(t("login.title")).toBe("Login"));

test("values are put in, numbers as people read them", () => {
  expect(t("home.hello", { name: "Olivia {{x}}" })).toBe("Good to see you, Olivia {{x}}");
  expect(t("search.credits", { count: 1200 })).toBe("1,200 left");
});

test("a count chooses its form", () => {
  expect([t("contacts.count", { count: 1 }), t("contacts.count", { count: 2 })]).toEqual(["1 contact", "2 contacts"]);
});
