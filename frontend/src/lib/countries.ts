/** Every country by its three-letter code, sorted by its name. Large: for screens that are loaded later. */
import { alpha2ToAlpha3, getNames, registerLocale } from "i18n-iso-countries";
import english from "i18n-iso-countries/langs/en.json";
import { language } from "./language";
import { countryText } from "./locale";

registerLocale(english);

export interface Country {
  value: string;
  name: string;
}

/** The three-letter code of a two-letter one; empty for an unknown one. */
export const codeOf = (iso2: string): string => alpha2ToAlpha3(iso2.toUpperCase()) ?? "";

const isEnglish = language().name === "en";

export const COUNTRIES: Country[] = Object.entries(getNames("en", { select: "official" }))
  .map(([alpha2, name]) => ({ value: alpha2ToAlpha3(alpha2) ?? alpha2, name: isEnglish ? name : countryText(alpha2) }))
  .toSorted((country, other) => country.name.localeCompare(other.name, language().name));
