/** Texts by name: `t("login.title")`. One language so far; every text of the app is in en.ts.

 A library for this would weigh a tenth of the sign-in screen. The form of the texts is i18next's (`{{value}}`,
 `_one`/`_other`), so that one can take over when a second language comes. */
import { en } from "./en";

type Name<Key extends string> = Key extends `${infer Base}_one` | `${infer Base}_other` ? Base : Key;
type Names<Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends string ? Name<Key> : `${Key}.${Names<Tree[Key]>}`;
}[keyof Tree & string];

export type TextKey = Names<typeof en>;

type Texts = { readonly [key: string]: string | Texts };

const plurals = new Intl.PluralRules("en");

/** The text of a name, with its `{{values}}` put in; `count` chooses between one and other. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  const text = find(key) ?? find(`${key}_${plurals.select(Number(values["count"]))}`) ?? key;
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => shown(values[name]));
}

function find(key: string): string | undefined {
  const found = key.split(".").reduce<string | Texts | undefined>((tree, part) => (typeof tree === "object" ? tree[part] : undefined), en);
  return typeof found === "string" ? found : undefined;
}

function shown(value: string | number | undefined): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : (value ?? "");
}
