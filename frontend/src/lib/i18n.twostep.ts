/** Texts of two-step sign-in, separate so that sign-in and dashboard load without them. */
import { entry } from "../texts/en/entry";
import { twostep } from "../texts/en/twostep";
import type { Names } from "../texts/shape";
import { translator } from "./i18n";

const texts = { ...entry, ...twostep } as const;

export const t = translator<Names<typeof texts>>(texts);
