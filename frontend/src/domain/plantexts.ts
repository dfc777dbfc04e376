/** Texts of plans, which the server stores in English, in the language of the reader. */
import { t } from "../lib/i18n.dashboard";
import { language } from "../lib/language";
import { byWording } from "../lib/wording";
import { offers } from "../texts/en/offers";

type Key = keyof typeof offers.offers;

const ONLY_NUMBER = "{{number}}";
const KEYS = new Map(Object.entries(offers.offers).map(([key, text]) => [text, key as Key]));

/** A text that the product ships is translated; one written by the operator is shown unchanged. */
export function planText(stored: string): string {
  return language().name === "en" ? stored : (byWording(stored, translated) ?? stored);
}

function translated(wording: string): string | undefined {
  const key = KEYS.get(wording);
  if (key) return t(`offers.${key}`);
  return wording === ONLY_NUMBER ? wording : undefined;
}
