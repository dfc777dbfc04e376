/** The present state of a subscription. Pure. */
import { dayText, parseDate } from "../lib/dates";

interface Plan {
  name: string;
  sku: string | null;
  price: number;
  validity: number;
}

interface Subscription {
  autorenew: number | string;
  expirydate: string | null;
  graceuntil?: string | null | undefined;
  isactive: number;
  transactionid: number | string | null;
  subscriptionplan_by_planid: Plan | null;
}

interface Credits {
  contactcredit: number;
}

export type Standing = "none" | "expired" | "pastdue" | "cancelled" | "ending" | "trial" | "creditsover" | "active";

const TRIAL = "custom_trial";
const CUSTOM = new Set([TRIAL, "custom_monthly", "custom_yearly"]);
const MONTH_DAYS = 30;

/** A plan made for one client: a custom sku, or none. */
export const isCustom = (plan: Pick<Plan, "sku">): boolean => plan.sku === null || CUSTOM.has(plan.sku);
export const isMonthly = (plan: Pick<Plan, "validity">): boolean => plan.validity === MONTH_DAYS;
export const renews = (subscription: Pick<Subscription, "autorenew">): boolean => String(subscription.autorenew) !== "0";

/** Whether a subscription is live: active, with its end date or grace period not yet over. Every screen uses this rule.
 */
export function isLive(subscription: Pick<Subscription, "expirydate" | "graceuntil" | "isactive">, now = new Date()): boolean {
  const ends = [parseDate(subscription.expirydate), parseDate(subscription.graceuntil)].filter((end) => end !== null);
  return Boolean(subscription.isactive) && (ends.length === 0 || ends.some((end) => end > now));
}

export function standingOf(subscription: Subscription | undefined, credits: Credits | undefined, now = new Date()): Standing {
  const plan = subscription?.subscriptionplan_by_planid;
  if (!credits || !subscription || !plan) return "none";
  if (!isLive(subscription, now)) return "expired";
  const end = parseDate(subscription.expirydate);
  if (end && end <= now) return "pastdue";
  const price = Number(plan.price);
  if (price !== 0 && !renews(subscription) && subscription.transactionid) return "cancelled";
  if (isOver(credits)) return "creditsover";
  return termOf(plan, subscription);
}

/** Whether the subscription renews. A plan without a price renews like the trial. */
export function termOf(plan: Plan, subscription: Pick<Subscription, "autorenew">): "trial" | "ending" | "active" {
  if (Number(plan.price) === 0 || plan.sku === TRIAL) return "trial";
  return renews(subscription) ? "active" : "ending";
}

export const isOver = (credits: Credits): boolean => credits.contactcredit <= 0;

export const endOf = (subscription: Pick<Subscription, "expirydate"> | undefined): string => dayText(subscription?.expirydate);
