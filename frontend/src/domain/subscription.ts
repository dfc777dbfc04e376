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
export const renews = (one: Pick<Subscription, "autorenew">): boolean => String(one.autorenew) !== "0";

/** Whether a subscription counts: active, and its date or its grace is not over. Everything shown decides by this. */
export function isLive(one: Pick<Subscription, "expirydate" | "graceuntil" | "isactive">, now = new Date()): boolean {
  const ends = [parseDate(one.expirydate), parseDate(one.graceuntil)].filter((end) => end !== null);
  return Boolean(one.isactive) && (ends.length === 0 || ends.some((end) => end > now));
}

export function standingOf(one: Subscription | undefined, credits: Credits | undefined, now = new Date()): Standing {
  const plan = one?.subscriptionplan_by_planid;
  if (!credits || !one || !plan) return "none";
  if (!isLive(one, now)) return "expired";
  const end = parseDate(one.expirydate);
  if (end && end <= now) return "pastdue";
  const price = Number(plan.price);
  if (price !== 0 && !renews(one) && one.transactionid) return "cancelled";
  if (isOver(credits)) return "creditsover";
  return termOf(plan, one);
}

/** Whether it goes on by itself. Paid for nothing, a plan renews as the trial does. */
export function termOf(plan: Plan, one: Pick<Subscription, "autorenew">): "trial" | "ending" | "active" {
  if (Number(plan.price) === 0 || plan.sku === TRIAL) return "trial";
  return renews(one) ? "active" : "ending";
}

export const isOver = (credits: Credits): boolean => credits.contactcredit <= 0;

export const endOf = (one: Pick<Subscription, "expirydate"> | undefined): string => dayText(one?.expirydate);
