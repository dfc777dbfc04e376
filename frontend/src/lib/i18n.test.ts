// @vitest-environment jsdom
import { expect, test } from "vitest";
import { t } from "./i18n.dashboard";
import { adoptLanguage, chooseLanguage, chosenLanguage, language, loadLanguage, setLanguage } from "./language";
import { dayText } from "./dates";
import { cents, dollars } from "./money";
import { monthText } from "./months";
import { preference, setPreference } from "./preferences";

test("a text is found by its path", () => expect(t("login.title")).toBe("Login"));

test("values are inserted literally, and numbers are formatted", () => {
  expect(t("home.hello", { name: "Olivia {{x}}" })).toBe("Good to see you, Olivia {{x}}");
  expect(t("search.credits", { count: 1200 })).toBe("1,200 left");
});

test("a count selects the singular or plural form", () => {
  expect([t("contacts.count", { count: 1 }), t("contacts.count", { count: 2 })]).toEqual(["1 contact", "2 contacts"]);
});

test("a translation replaces a text, and missing texts stay English", () => {
  expect(t("login.title")).toBe("Login");
  setLanguage("en", { texts: { login: { title: "Anmelden" }, contacts: { count_other: "{{count}} Kontakte" } } });
  expect([t("login.title"), t("login.forgot"), t("contacts.count", { count: 2 })]).toEqual(["Anmelden", "Forgot password?", "2 Kontakte"]);
});

test("a selected language is stored, and an unknown one falls back to English", () => {
  setPreference("language", "tlh");
  expect(chosenLanguage()).toBe("en");
  chooseLanguage("en");
  expect(preference("language"), "so that no account changes it").toBe("en");
  setPreference("note", "a=b; c");
  expect(preference("note")).toBe("a=b; c");
  setPreference("note", null);
  expect(preference("note")).toBeUndefined();
});

test("the account language is used only if none was selected", () => {
  setPreference("language", null);
  expect([adoptLanguage(null), adoptLanguage("tlh"), adoptLanguage("en")]).toEqual([false, false, false]);
  expect(preference("language"), "nothing was chosen, so that a later choice elsewhere applies here").toBeUndefined();
  expect([adoptLanguage("de"), chosenLanguage()]).toEqual([true, "de"]);
  expect([adoptLanguage("en"), chosenLanguage()]).toEqual([false, "de"]);
  chooseLanguage("en");
  expect([adoptLanguage("de"), chosenLanguage()]).toEqual([false, "en"]);
});

test("loading a language changes texts, numbers and dates", async () => {
  chooseLanguage("de");
  await loadLanguage();
  expect([language().name, document.documentElement.lang]).toEqual(["de", "de"]);
  expect(t("search.credits", { count: 1200 })).toBe("1.200 übrig");
  expect([dayText("2026-01-10"), monthText("2026-03")]).toEqual(["10. Jan. 2026", "März 2026"]);
  expect([dollars(49), cents(123456)].map((text) => text.replace("\u00a0", " "))).toEqual(["49 $", "1.234,56 $"]);
  chooseLanguage("en");
});
