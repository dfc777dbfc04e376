/** Texts of the dashboard and of all pages: `t("plans.title")`. The sign-in page does not load them. */
import { dashboard } from "../texts/en/dashboard";
import { entry } from "../texts/en/entry";
import { type KeyOf, translator } from "./i18n";

export const t = translator({ ...entry, ...dashboard });
export type TextKey = KeyOf<typeof t>;
