/** Texts of the audit log and the credit ledger, separate so that the dashboard loads without them. */
import { dashboard } from "../texts/en/dashboard";
import { entry } from "../texts/en/entry";
import { events } from "../texts/en/events";
import { translator } from "./i18n";

export const t = translator({ ...entry, ...dashboard, ...events });
