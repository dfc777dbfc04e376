import { expect, test } from "vitest";
import { t } from "./i18n.dashboard";
import { chooseLanguage, chosenLanguage, setLanguage } from "./language";
import { preference, setPreference } from "./preferences";

test("a text is found by its path", () => expect(t("login.title")).toBe("Login"));

test("values are inserted, numbers as people read them", () => {
  expect(t("home.hello", { name: "Olivia {{x}}" })).toBe("Good to see you, Olivia {{x}}");
  expect(t("search.credits", { count: 1200 })).toBe("1,200 left");
});

test("a count chooses its form", () => {
  expect([t("contacts.count", { count: 1 }), t("contacts.count", { count: 2 })]).toEqual(["1 contact", "2 contacts"]);
});

test("a translation replaces a text, and what it lacks stays English", () => {
  expect(t("login.title")).toBe("Login");
  setLanguage("en", { texts: { login: { title: "Anmelden" }, contacts: { count_other: "{{count}} Kontakte" } } });
  expect([t("login.title"), t("login.forgot"), t("contacts.count", { count: 2 })]).toEqual(["Anmelden", "Forgot password?", "2 Kontakte"]);
});

test("a choice is kept and removed; an unknown language is English", () => {
  setPreference("language", "tlh");
  expect(chosenLanguage()).toBe("en");
  chooseLanguage("en");
  expect(preference("language")).toBeUndefined();
  setPreference("note", "a=b; c");
  expect(preference("note")).toBe("a=b; c");
  setPreference("note", null);
  expect(preference("note")).toBeUndefined();
});
