/** Texts of the dashboard and of all pages: `t("plans.title")`. The sign-in page does not load them. */
import { dashboard } from "../texts/en/dashboard";
import { entry } from "../texts/en/entry";
import type { Names } from "../texts/shape";
import { translator } from "./i18n";

const texts = { ...entry, ...dashboard } as const;

export type TextKey = Names<typeof texts>;

export const t = translator<TextKey>(texts);
