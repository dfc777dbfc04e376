/** The types of the texts: their keys come from the English files, and each translation has the same ones. */

export type Texts = { readonly [key: string]: string | Texts };

/** The same tree of keys with any texts. A missing or misspelt key in a translation is a type error. */
export type Translation<Tree> = { readonly [Key in keyof Tree]: Tree[Key] extends string ? string : Translation<Tree[Key]> };

type Name<Key extends string> = Key extends `${infer Base}_one` | `${infer Base}_other` ? Base : Key;

/** Every path of a tree, such as `plans.title`; plural forms count as one. */
export type Names<Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends string ? Name<Key> : `${Key}.${Names<Tree[Key]>}`;
}[keyof Tree & string];

export type LegalDocument = "privacy" | "terms" | "chrome" | "trust";

export interface LegalSection {
  heading: string;
  paragraphs: readonly string[];
  /** A page of the app that the section leads to. */
  link?: { to: string; text: string };
}

export type Legal = Readonly<Record<LegalDocument, readonly LegalSection[]>>;
