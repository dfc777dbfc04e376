/** Texts of the directory search and of bulk look-ups, separate so that the dashboard loads without them. */
import { bulk } from "../texts/en/bulk";
import { dashboard } from "../texts/en/dashboard";
import { entry } from "../texts/en/entry";
import { people } from "../texts/en/people";
import type { Names } from "../texts/shape";
import { translator } from "./i18n";

const texts = { ...entry, ...dashboard, ...people, ...bulk } as const;

export type TextKey = Names<typeof texts>;

export const t = translator<TextKey>(texts);
