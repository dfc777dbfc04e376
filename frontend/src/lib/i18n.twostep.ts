/** Texts of two-step sign-in, separate so that sign-in and dashboard load without them. */
import { entry } from "../texts/en/entry";
import { twostep } from "../texts/en/twostep";
import { translator } from "./i18n";

export const t = translator({ ...entry, ...twostep });
