/** Texts that the server words in English, in the language of the reader. */
import { language } from "./language";
import { numberText } from "./locale";

const NUMBER = /\d[\d,]*/g;

/** Finds a translation by the English wording, in which numbers may stand as `{{number}}`; undefined where there is none. */
export function byWording(english: string, find: (wording: string) => string | undefined): string | undefined {
  const whole = find(english);
  const numbers = english.match(NUMBER);
  if (whole !== undefined || !numbers) return whole;
  const pattern = find(english.replace(NUMBER, "{{number}}"));
  return numbers.reduce((text, number) => text?.replace("{{number}}", numberText(Number(number.replaceAll(",", "")))), pattern);
}

/** A refusal as a screen shows it. One without a translation is shown as the server words it. */
export function refusalText(message: string): string {
  const refusals = language().refusals ?? {};
  return byWording(message, (wording) => (Object.hasOwn(refusals, wording) ? refusals[wording] : undefined)) ?? message;
}
