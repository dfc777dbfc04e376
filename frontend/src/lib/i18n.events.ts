/** Texts of the audit log and the credit ledger, separate so that the dashboard loads without them. */
import { dashboard } from "../texts/en/dashboard";
import { entry } from "../texts/en/entry";
import { events } from "../texts/en/events";
import type { Names } from "../texts/shape";
import { translator } from "./i18n";

const texts = { ...entry, ...dashboard, ...events } as const;

export const t = translator<Names<typeof texts>>(texts);
