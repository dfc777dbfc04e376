/** Formats phone numbers: grouped, with country and kind of line. The rules of all countries are large, so this
 module is loaded after the screen that needs it. */
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from "libphonenumber-js/max";

export interface PhoneNumber {
  /** `+49 30 901820`. */
  text: string;
  /** Two capital letters; empty if the number identifies no country. */
  country: string;
  line: "mobile" | "landline" | "either" | null;
}

const LINES = { MOBILE: "mobile", FIXED_LINE: "landline", FIXED_LINE_OR_MOBILE: "either" } as const;
/** Among countries that share a code, the one with the most numbers. */
const LARGEST: Record<string, string> = { "1": "US", "7": "RU", "39": "IT", "44": "GB", "47": "NO", "61": "AU", "212": "MA", "262": "RE", "358": "FI", "590": "GP", "599": "CW" };

export function phoneNumber(value: string): PhoneNumber {
  const found = parsePhoneNumberFromString(value);
  if (!found) return { text: value, country: "", line: null };
  const type = found.getType();
  const line = type && type in LINES ? LINES[type as keyof typeof LINES] : null;
  return { text: found.formatInternational(), country: found.country ?? countryOf(found.countryCallingCode), line };
}

const countryOf = (code: string): string => LARGEST[code] ?? getCountries().find((country) => getCountryCallingCode(country) === code) ?? "";
