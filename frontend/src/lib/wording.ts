/** Translates texts that the server words in English. */
import { language } from "./language";
import { numberText } from "./locale";

const NUMBER = /\d[\d,]*/g;

/** Finds a translation by the English wording, where `{{number}}` may replace numbers; undefined if there is none. */
export function byWording(english: string, find: (wording: string) => string | undefined): string | undefined {
  const whole = find(english);
  const numbers = english.match(NUMBER);
  if (whole !== undefined || !numbers) return whole;
  const pattern = find(english.replace(NUMBER, "{{number}}"));
  return numbers.reduce((text, number) => text?.replace("{{number}}", numberText(Number(number.replaceAll(",", "")))), pattern);
}

/** An error as shown on a screen. Without a translation, the server's wording is shown. */
export function refusalText(message: string): string {
  const refusals = language().refusals ?? {};
  return byWording(message, (wording) => (Object.hasOwn(refusals, wording) ? refusals[wording] : undefined)) ?? message;
}
