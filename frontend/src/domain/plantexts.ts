/** Texts of plans, which the server stores in English, in the language of the reader. */
import { t } from "../lib/i18n.dashboard";
import { language } from "../lib/language";
import { numberText } from "../lib/locale";
import { offers } from "../texts/en/offers";

type Key = keyof typeof offers.offers;

const NUMBER = /\d[\d,]*/g;
const ONLY_NUMBER = "{{number}}";
const KEYS = new Map(Object.entries(offers.offers).map(([key, text]) => [text, key as Key]));

const UNGROUPED = /^\d{4,}(?= )/;

/** A text that the product ships is translated; of one written by the operator only a number in front is grouped. */
export function planText(stored: string): string {
  const known = language().name === "en" ? undefined : byWording(stored);
  return known ?? stored.replace(UNGROUPED, (digits) => numberText(Number(digits)));
}

/** Finds a translation by the English text, where `{{number}}` may stand for numbers; undefined if there is none. */
function byWording(english: string): string | undefined {
  const whole = translated(english);
  const numbers = english.match(NUMBER);
  if (whole !== undefined || !numbers) return whole;
  const pattern = translated(english.replace(NUMBER, ONLY_NUMBER));
  return numbers.reduce((text, number) => text?.replace(ONLY_NUMBER, numberText(Number(number.replaceAll(",", "")))), pattern);
}

function translated(wording: string): string | undefined {
  const key = KEYS.get(wording);
  if (key) return t(`offers.${key}`);
  return wording === ONLY_NUMBER ? wording : undefined;
}
