/** Texts of the directory search, separate so that the dashboard loads without them. */
import { dashboard } from "../texts/en/dashboard";
import { entry } from "../texts/en/entry";
import { people } from "../texts/en/people";
import type { Names } from "../texts/shape";
import { translator } from "./i18n";

const texts = { ...entry, ...dashboard, ...people } as const;

export type TextKey = Names<typeof texts>;

export const t = translator<TextKey>(texts);
