/** Texts of keys and webhooks, separate so that the dashboard loads without them. */
import { api } from "../texts/en/api";
import { dashboard } from "../texts/en/dashboard";
import { entry } from "../texts/en/entry";
import { webhooks } from "../texts/en/webhooks";
import { translator } from "./i18n";

export const t = translator({ ...entry, ...dashboard, ...api, ...webhooks });
