/** Texts of the desk, in both languages: `t("find.title")`. Only staff load them. */
import { desk as german } from "../texts/de/desk";
import { desk as english } from "../texts/en/desk";
import type { Names } from "../texts/shape";
import { translator } from "./i18n";
import { language } from "./language";

export type DeskKey = Names<typeof english>;

const TRANSLATORS = { en: translator<DeskKey>({ desk: english }), de: translator<DeskKey>({ desk: german }) };

// In a tree of their own, so that no text of another screen has their name.
export const t: (typeof TRANSLATORS)["en"] = (key, values) => TRANSLATORS[language().name](`desk.${key}` as DeskKey, values);
