/** Texts by name, in the language of the reader: `t("login.title")`.

 The texts use the format of i18next: `{{value}}`, and `_one` and `_other` for the forms of a count. A text missing from
 a translation is shown in English. */
import { entry } from "../texts/en/entry";
import type { Names, Texts } from "../texts/shape";
import { language, onLanguage } from "./language";
import { numberText } from "./locale";

type Values = Record<string, string | number>;

/** Returns a function that looks a text up by name and inserts its `{{values}}`; `count` selects the plural form. */
export function translator<const English extends Texts>(english: English) {
  const cache = new Map<string, string>();
  onLanguage(() => cache.clear());
  const textOf = (key: string, count: string | number | undefined): string => {
    const form = count === undefined ? key : `${key}\n${pluralOf(Number(count))}`;
    let text = cache.get(form);
    if (text === undefined) cache.set(form, (text = find(key, count, english)));
    return text;
  };
  return (key: Names<English>, values?: Values): string => {
    const text = textOf(key, values?.["count"]);
    return values ? text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => formatted(values[name])) : text;
  };
}

function find(key: string, count: string | number | undefined, english: Texts): string {
  const names = count === undefined ? [key] : [key, `${key}_${pluralOf(Number(count))}`];
  const trees = [language().texts, english].filter((tree) => tree !== undefined);
  for (const tree of trees) {
    for (const name of names) {
      const text = textAt(tree, name);
      if (text !== undefined) return text;
    }
  }
  return key;
}

function textAt(texts: Texts, path: string): string | undefined {
  const node = path.split(".").reduce<string | Texts | undefined>((tree, part) => (typeof tree === "object" ? tree[part] : undefined), texts);
  return typeof node === "string" ? node : undefined;
}

let plurals: Intl.PluralRules | undefined;
onLanguage(() => (plurals = undefined));

function pluralOf(count: number): string {
  plurals ??= new Intl.PluralRules(language().name);
  return plurals.select(count);
}

function formatted(value: string | number | undefined): string {
  return typeof value === "number" ? numberText(value) : (value ?? "");
}

/** The names of the texts that a function looks up. */
export type KeyOf<Translate extends (key: never) => string> = Parameters<Translate>[0];

/** The text of a page before sign-in, or one that all pages share. */
export const t = translator(entry);
