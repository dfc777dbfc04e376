/** Texts of webhooks, separate so that the dashboard loads without them. */
import { dashboard } from "../texts/en/dashboard";
import { entry } from "../texts/en/entry";
import { webhooks } from "../texts/en/webhooks";
import type { Names } from "../texts/shape";
import { translator } from "./i18n";

const texts = { ...entry, ...dashboard, ...webhooks } as const;

export const t = translator<Names<typeof texts>>(texts);
