/** The fields of a card as they are typed. Pure; used only by the card form of the test mode. */
import { digitsOf } from "../lib/validate";

export interface TypedCard {
  number: string;
  expiry: string;
  cvc: string;
}

/** `4242 4242 4242 4242` */
export const groupedNumber = (text: string): string => digitsOf(text).slice(0, 19).replace(/(\d{4})(?=\d)/g, "$1 ");

/** `12 / 34` */
export function groupedExpiry(text: string): string {
  const digits = digitsOf(text).slice(0, 4);
  return digits.length > 2 ? `${digits.slice(0, 2)} / ${digits.slice(2)}` : digits;
}

/** Whether the last digit fits the others (Luhn). */
export function isCardNumber(text: string): boolean {
  const digits = digitsOf(text);
  if (digits.length < 13 || digits.length > 19) return false;
  const sum = [...digits].toReversed().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Month and year of `12 / 34`; null when there is no such month. */
export function expiryOf(text: string): { month: number; year: number } | null {
  const digits = digitsOf(text);
  const month = Number(digits.slice(0, 2));
  return digits.length === 4 && month >= 1 && month <= 12 ? { month, year: 2000 + Number(digits.slice(2)) } : null;
}

/** A card is good until the end of its month. */
export function isPast({ month, year }: { month: number; year: number }, now = new Date()): boolean {
  return year < now.getUTCFullYear() || (year === now.getUTCFullYear() && month < now.getUTCMonth() + 1);
}
