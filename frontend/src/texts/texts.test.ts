import { expect, test } from "vitest";
import { translation } from "./de";
import { desk as germanDesk } from "./de/desk";
import { api } from "./en/api";
import { desk } from "./en/desk";
import { bulk } from "./en/bulk";
import { dashboard } from "./en/dashboard";
import { entry } from "./en/entry";
import { events } from "./en/events";
import { legal } from "./en/legal";
import { people } from "./en/people";
import { twostep } from "./en/twostep";
import { webhooks } from "./en/webhooks";
import type { Texts } from "./shape";

// The texts of the desk, the directory, bulk look-ups, the audit log, two-step sign-in, keys and webhooks are separate: the dashboard loads without them.
const english = flat({ ...entry, ...dashboard, ...people, ...bulk, ...twostep, ...events, ...api, ...webhooks, desk });
const TRANSLATIONS = { de: { ...translation, texts: { ...translation.texts, desk: germanDesk } } };

function flat(texts: Texts, path = ""): Map<string, string> {
  const pairs = Object.entries(texts).flatMap(([key, value]) =>
    typeof value === "string" ? [[path + key, value] as const] : [...flat(value, `${path}${key}.`)],
  );
  return new Map(pairs);
}

const placeholders = (text: string): string[] => (text.match(/\{\{\w+\}\}/g) ?? []).toSorted();

test.each(Object.entries(TRANSLATIONS))("the translation %s has exactly the English texts", (_, { texts }) => {
  expect([...flat(texts).keys()].toSorted()).toEqual([...english.keys()].toSorted());
});

const SOURCES = import.meta.glob<string>(["../**/*.{ts,tsx}", "!../**/*.test.*", "!./**"], { query: "?raw", import: "default", eager: true });

test("every text is used", () => {
  const source = Object.values(SOURCES).join("\n");
  const starts = [...new Set(source.match(/(?<=`)[\w.]+(?=\$\{)/g))];
  const names = [...english.keys()].map((key) => key.replace(/^desk\./, "").replace(/_(one|other)$/, ""));
  expect(names.filter((name) => !source.includes(`"${name}"`) && !starts.some((start) => name.startsWith(start)))).toEqual([]);
});

test.each(Object.entries(TRANSLATIONS))("texts in %s have the same placeholders as in English", (_, { texts }) => {
  // A form for one may spell its number out.
  const differing = [...flat(texts)].filter(([key, text]) => !key.endsWith("_one") && String(placeholders(text)) !== String(placeholders(english.get(key)!)));
  expect(differing).toEqual([]);
  expect([...flat(texts).values()].filter((text) => text.trim() === "")).toEqual([]);
});

test.each(Object.entries(TRANSLATIONS))("legal documents in %s have the same sections as in English", (_, { legal: translated }) => {
  for (const name of ["privacy", "terms", "chrome"] as const) {
    expect(translated[name].map(({ paragraphs }) => paragraphs.length)).toEqual(legal[name].map(({ paragraphs }) => paragraphs.length));
  }
});

test("every singular form has a plural form", () => {
  const alone = [...english.keys()].filter((key) => key.endsWith("_one") && !english.has(key.replace(/_one$/, "_other")));
  expect(alone).toEqual([]);
});

// A verb has its particle once, and a word does not follow itself: "Look up to 1,000 people up", "the the".
const TWICE = /\b(?:look|sign|log|set|fill|turn|send|give)s? (up|in|out|off|on|back)\b(?:[^.,?!:]|,\d){0,40} \1(?=[ ,.?!]|$)|\b([a-z]+) \2\b/i;

test.each(["Look up to 1,000 people up at once", "in the the list"])("the check finds the repetition in “%s”", (text) => {
  expect(text).toMatch(TWICE);
});

test("no text repeats a word or a verb particle", () => {
  expect([...english.values()].filter((text) => TWICE.test(text))).toEqual([]);
});
