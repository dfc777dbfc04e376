/**
 * The name of a country in the reader's language, from its code of two or three letters. Other text is returned
 * unchanged.
 */
import codes from "i18n-iso-countries/codes.json";
import { countryText } from "./locale";

const ALPHA2 = new Map(codes.flatMap(([two, three]) => [[two, two], [three, two]]));

export function countryName(text: string): string {
  const alpha2 = ALPHA2.get(text.trim().toUpperCase());
  return alpha2 === undefined ? text : countryText(alpha2);
}

/** The three-letter code of a two-letter one, and the reverse; empty for an unknown one. */
export const codeOf = (iso2: string): string => codes.find(([two]) => two === iso2.toUpperCase())?.[1] ?? "";
export const iso2Of = (code: string): string => ALPHA2.get(code)?.toLowerCase() ?? "";

/** Every country: its code of three letters and its name, by name. */
let names: (readonly [code: string, name: string])[] | undefined;
export function countryNames(): readonly (readonly [code: string, name: string])[] {
  names ??= codes.map(([two, three]) => [three!, countryText(two!)] as const).toSorted(([, one], [, other]) => one.localeCompare(other));
  return names;
}
