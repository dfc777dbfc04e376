/** The events in the order of the form, and how a delivery ended, in words. */
import type { EventName, WebhookDelivery } from "../../api/types";
import { t } from "../../lib/i18n.api";

export const KINDS: { name: EventName; text: string }[] = [
  { name: "contact.revealed", text: t("webhooks.kind.revealed") },
  { name: "bulk.finished", text: t("webhooks.kind.bulk") },
  { name: "credits.low", text: t("webhooks.kind.credits") },
  { name: "plan.changed", text: t("webhooks.kind.plan") },
];

export const kindText = (event: WebhookDelivery["event"]): string => KINDS.find(({ name }) => name === event)?.text ?? t("webhooks.kind.test");

const REASONS = ["redirected", "rejected", "late", "blocked", "bad_host", "unreachable"] as const;

/** The status of the response, or why the delivery failed. */
export function outcomeText({ lastcode, reason, error }: Pick<WebhookDelivery, "lastcode" | "reason" | "error">): string {
  const code = lastcode === null ? "" : String(lastcode);
  const known = REASONS.find((name) => name === reason);
  return known ? t(`webhooks.reason.${known}`, { code, error: error ?? "" }) : (error ?? code);
}
