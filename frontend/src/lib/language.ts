/** The language of the page: English, or a translation that is loaded before the first screen is drawn. */
import type { Legal, Texts } from "../texts/shape";
import { preference, setPreference } from "./preferences";

export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;

/** What a folder of `texts/` exports. English is part of the scripts and needs no such folder. */
export interface Translated {
  texts?: Texts;
  legal?: Legal;
  /** Errors of the server, by case or reason. */
  errors?: Readonly<Record<string, string>>;
}

interface Loaded extends Translated {
  name: Language;
}

const PREFERENCE = "language";
const TRANSLATIONS: Record<Exclude<Language, "en">, () => Promise<{ translation: Translated }>> = {
  de: () => import("../texts/de"),
};

let loaded: Loaded = { name: "en" };
const listeners = new Set<() => void>();

export const language = (): Loaded => loaded;

/** Registers a callback for language changes, to drop values computed for the previous language. */
export function onLanguage(listener: () => void): void {
  listeners.add(listener);
}

export function setLanguage(name: Language, translation: Translated = {}): void {
  loaded = { name, ...translation };
  if (typeof document !== "undefined") document.documentElement.lang = name;
  for (const listener of listeners) listener();
}

const known = (name: string | null | undefined): Language | undefined =>
  name != null && Object.hasOwn(LANGUAGES, name) ? (name as Language) : undefined;

/** The language that was chosen in this browser; English if none was. The browser's own language is ignored. */
export const chosenLanguage = (): Language => known(preference(PREFERENCE)) ?? "en";

/** Loads the chosen language. A translation that cannot be loaded leaves the page in English. */
export async function loadLanguage(name = chosenLanguage()): Promise<void> {
  if (name === "en") return;
  try {
    setLanguage(name, (await TRANSLATIONS[name]()).translation);
  } catch {
    setLanguage("en");
  }
}

/** Stores the choice in this browser. It applies after a reload. */
export function chooseLanguage(name: Language): void {
  setPreference(PREFERENCE, name);
}

/**
 * Adopts the language of an account, unless one was chosen in this browser. Returns whether a reload is needed.
 */
export function adoptLanguage(stored: string | null): boolean {
  const name = known(stored);
  if (name === undefined || name === language().name || known(preference(PREFERENCE)) !== undefined) return false;
  chooseLanguage(name);
  return true;
}

/** Stores the choice and reloads the page in that language, because texts are read when scripts load. */
export function showIn(name: Language): void {
  chooseLanguage(name);
  window.location.reload();
}
