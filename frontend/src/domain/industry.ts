/** The name of an industry in the language of the reader; the directory has them in English. */
import { t } from "../lib/i18n.people";
import { people } from "../texts/en/people";

type Known = keyof typeof people.people.industries;

/** An industry without a translation is shown as it is stored. */
export const industryName = (stored: string): string => (Object.hasOwn(people.people.industries, stored) ? t(`people.industries.${stored as Known}`) : stored);
