/** How a delivery ended, in words. */
import type { WebhookDelivery } from "../../api/types";
import { t } from "../../lib/i18n.api";

const REASONS = ["redirected", "rejected", "late", "blocked", "bad_host", "unreachable"] as const;

/** The status of the response, or why the delivery failed. */
export function outcomeText({ lastcode, reason, error }: Pick<WebhookDelivery, "lastcode" | "reason" | "error">): string {
  const code = lastcode === null ? "" : String(lastcode);
  const known = REASONS.find((name) => name === reason);
  return known ? t(`webhooks.reason.${known}`, { code, error: error ?? "" }) : (error ?? code);
}
