/** Finds the country of a typed phone number. Pure. */
import { digitsOf } from "./validate";

export interface DialCode {
  iso2: string;
  dialCode: string;
  name: string;
  /** Among countries that share a code, the lowest comes first. */
  priority: number;
}

/** The country of a number that starts with +. Without +, or for a shared code, the chosen country. */
export function countryOf(phone: string, codes: DialCode[], chosen: string): DialCode {
  const digits = phone.trim().startsWith("+") ? digitsOf(phone) : "";
  const fitting = codes.filter(({ dialCode }) => digits.startsWith(dialCode));
  const longest = Math.max(0, ...fitting.map(({ dialCode }) => dialCode.length));
  const best = fitting.filter(({ dialCode }) => dialCode.length === longest).toSorted((left, right) => left.priority - right.priority);
  const isChosen = (code: DialCode) => code.iso2 === chosen;
  return best.find(isChosen) ?? best[0] ?? codes.find(isChosen) ?? codes[0]!;
}

/** The number with another country's code. */
export function withDialCode(phone: string, old: DialCode, dialCode: string): string {
  const digits = digitsOf(phone);
  const rest = phone.trim().startsWith("+") && digits.startsWith(old.dialCode) ? digits.slice(old.dialCode.length) : digits;
  return rest ? `+${dialCode} ${rest}` : `+${dialCode} `;
}
