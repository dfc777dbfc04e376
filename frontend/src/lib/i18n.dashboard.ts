/** Texts of the dashboard and of all pages: `t("plans.title")`. The sign-in page does not load them. */
import { en } from "./en";
import { dashboard } from "./en.dashboard";
import { type Names, translator } from "./i18n";

const texts = { ...en, ...dashboard } as const;

export type TextKey = Names<typeof texts>;

export const t = translator<TextKey>(texts);
