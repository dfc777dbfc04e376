/** Texts of plans, which the server stores in English, in the language of the reader. */
import { t } from "../lib/i18n.dashboard";
import { language } from "../lib/language";
import { numberText } from "../lib/locale";
import { offers } from "../texts/en/offers";

type Key = keyof typeof offers.offers;

const NUMBER = /\d[\d,]*/;
const KEYS = new Map(Object.entries(offers.offers).map(([key, text]) => [text, key as Key]));

/** A text that the product ships is translated; one that the operator wrote is shown as it is stored. */
export function planText(stored: string): string {
  if (language().name === "en") return stored;
  const whole = KEYS.get(stored);
  if (whole) return t(`offers.${whole}`);
  const [digits] = NUMBER.exec(stored) ?? [];
  if (digits === undefined) return stored;
  const number = numberText(Number(digits.replaceAll(",", "")));
  const pattern = KEYS.get(stored.replace(digits, "{{number}}"));
  return pattern ? t(`offers.${pattern}`, { number }) : stored === digits ? number : stored;
}
