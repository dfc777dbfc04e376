/** Texts of the desk, in both languages: `t("find.title")`. Loaded for staff only. */
import { desk as german } from "../texts/de/desk";
import { desk as english } from "../texts/en/desk";
import type { Names } from "../texts/shape";
import { translator } from "./i18n";
import { language } from "./language";

const TRANSLATORS = { en: translator({ desk: english }), de: translator({ desk: german }) };

export type DeskKey = Names<typeof english>;

// In a separate tree, so that their names do not clash with texts of other screens.
export const t = (key: DeskKey, values?: Record<string, string | number>): string => TRANSLATORS[language().name](`desk.${key}`, values);
