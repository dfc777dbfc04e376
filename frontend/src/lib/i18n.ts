/** Texts by name: `t("login.title")`. There is one language; `en.ts` holds the texts of the pages before sign-in.

 The texts use the format of i18next (`{{value}}`, `_one`/`_other`), so that i18next can replace this module when a
 second language is added. Today it would add a tenth to the size of the sign-in page. */
import { en } from "./en";

type Name<Key extends string> = Key extends `${infer Base}_one` | `${infer Base}_other` ? Base : Key;
export type Names<Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends string ? Name<Key> : `${Key}.${Names<Tree[Key]>}`;
}[keyof Tree & string];

type Texts = { readonly [key: string]: string | Texts };

const plurals = new Intl.PluralRules("en");

/** Returns a function that finds a text by name and inserts its `{{values}}`; `count` selects the plural form. */
export function translator<Key extends string>(texts: Texts) {
  return (key: Key, values: Record<string, string | number> = {}): string => {
    const text = find(texts, key) ?? find(texts, `${key}_${plurals.select(Number(values["count"]))}`) ?? key;
    return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => formatted(values[name]));
  };
}

function find(texts: Texts, key: string): string | undefined {
  const node = key.split(".").reduce<string | Texts | undefined>((tree, part) => (typeof tree === "object" ? tree[part] : undefined), texts);
  return typeof node === "string" ? node : undefined;
}

function formatted(value: string | number | undefined): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : (value ?? "");
}

/** The text of a page before sign-in, or one that all pages share. */
export const t = translator<Names<typeof en>>(en);
