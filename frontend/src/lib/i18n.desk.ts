/** Texts of the desk, in both languages: `t("find.title")`. Loaded for staff only. */
import { desk as german } from "../texts/de/desk";
import { desk as english } from "../texts/en/desk";
import type { Names } from "../texts/shape";
import { translator } from "./i18n";
import { language } from "./language";

export type DeskKey = Names<typeof english>;

const TRANSLATORS = { en: translator<DeskKey>({ desk: english }), de: translator<DeskKey>({ desk: german }) };

// In a separate tree, so that their names do not clash with texts of other screens.
export const t: (typeof TRANSLATORS)["en"] = (key, values) => TRANSLATORS[language().name](`desk.${key}` as DeskKey, values);
