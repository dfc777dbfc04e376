/** The events in the order of the form, with their texts. */
import type { EventName, WebhookDelivery } from "../../api/types";
import { t } from "../../lib/i18n.api";

export const KINDS: { name: EventName; text: string }[] = [
  { name: "contact.revealed", text: t("webhooks.kind.revealed") },
  { name: "bulk.finished", text: t("webhooks.kind.bulk") },
  { name: "credits.low", text: t("webhooks.kind.credits") },
  { name: "plan.changed", text: t("webhooks.kind.plan") },
];

export const kindText = (event: WebhookDelivery["event"]): string => KINDS.find(({ name }) => name === event)?.text ?? t("webhooks.kind.test");
