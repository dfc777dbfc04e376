/** Texts of the directory search and of bulk look-ups, separate so that the dashboard loads without them. */
import { bulk } from "../texts/en/bulk";
import { dashboard } from "../texts/en/dashboard";
import { entry } from "../texts/en/entry";
import { people } from "../texts/en/people";
import { type KeyOf, translator } from "./i18n";

export const t = translator({ ...entry, ...dashboard, ...people, ...bulk });
export type TextKey = KeyOf<typeof t>;
