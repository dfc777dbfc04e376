/** Every country by its three-letter code, sorted by its English name. Heavy: for screens that are fetched later. */
import { alpha2ToAlpha3, getNames, registerLocale } from "i18n-iso-countries";
import english from "i18n-iso-countries/langs/en.json";

registerLocale(english);

export interface Country {
  value: string;
  name: string;
}

export const COUNTRIES: Country[] = Object.entries(getNames("en", { select: "official" }))
  .map(([alpha2, name]) => ({ value: alpha2ToAlpha3(alpha2) ?? alpha2, name }))
  .toSorted((one, other) => one.name.localeCompare(other.name, "en"));
