/** The action that a plan card offers, given the present subscription. Pure. */
import { DAY_MS, parseDate } from "../lib/dates";
import { CREDIT_OF, KINDS, type Kind } from "./reveal";
import { isCustom, isLive, isMonthly, renews } from "./subscription";

export type Offer = "current" | "upgrade" | "downgrade" | "subscribe" | "contact";

interface Plan {
  planid: number;
  sku: string | null;
  price: number;
}

interface Priced extends Plan {
  name: string;
  validity: number;
}

interface Subscription {
  planid: number;
  autorenew: number | string;
  expirydate: string | null;
  graceuntil?: string | null | undefined;
  isactive: number;
  subscriptionplan_by_planid: Plan | null;
}

export const isFree = (plan: Pick<Plan, "price">): boolean => Number(plan.price) === 0;

/** Whether a plan is negotiated with sales instead of being bought. */
export const isMadeToMeasure = (plan: Pick<Plan, "sku" | "price">): boolean => isCustom(plan) && !isFree(plan);

export const isOver = (subscription: Pick<Subscription, "expirydate" | "graceuntil" | "isactive">, now = new Date()): boolean => !isLive(subscription, now);

/** Whether a subscription renews. Only then is there a current plan to upgrade or downgrade from. */
export function goesOn(subscription: Subscription | undefined, now = new Date()): subscription is Subscription {
  return subscription !== undefined && renews(subscription) && !isOver(subscription, now);
}

/** Whether a plan is cancelled within its paid period; choosing it again withdraws the cancellation. */
export function canResume(subscription: Subscription | undefined, planid: number, now = new Date()): boolean {
  return subscription !== undefined && subscription.planid === planid && !renews(subscription) && !isOver(subscription, now);
}

export function offerOf(plan: Plan, subscription: Subscription | undefined, now = new Date()): Offer {
  const running = goesOn(subscription, now);
  if (running && subscription.planid === plan.planid) return "current";
  if (isMadeToMeasure(plan)) return "contact";
  const present = subscription?.subscriptionplan_by_planid;
  if (!running || !present || isMadeToMeasure(present)) return "subscribe";
  return plan.planid > subscription.planid ? "upgrade" : "downgrade";
}

/** Credits of each kind that belong to the plan and end with it; bought ones stay. */
export type PlanCredits = Record<Kind, number>;

export function planCredits(credits: object | undefined): PlanCredits {
  const left = (credits ?? {}) as Record<string, number | undefined>;
  const of = (kind: Kind) => Math.max(0, (left[CREDIT_OF[kind]] ?? 0) - (left[`${CREDIT_OF[kind]}_bought`] ?? 0));
  return Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as PlanCredits;
}

/** The rest of a paid period that does not renew. */
export interface Rest {
  name: string;
  until: string;
  days: number;
  /** Of the price, in dollars. */
  worth: number;
}

/** The rest that a new subscription would end; null when nothing paid is left. */
export function restOf(subscription: (Subscription & { subscriptionplan_by_planid: Priced | null }) | undefined, now = new Date()): Rest | null {
  const plan = subscription?.subscriptionplan_by_planid;
  const end = parseDate(subscription?.expirydate);
  if (!subscription || !plan || !end || renews(subscription) || isOver(subscription, now) || end <= now || isFree(plan)) return null;
  const days = Math.ceil((end.getTime() - now.getTime()) / DAY_MS);
  const worth = Math.max(0, Number(plan.price)) * Math.min(1, days / plan.validity);
  return { name: plan.name, until: subscription.expirydate!, days, worth };
}

/** A yearly price per month, and the yearly saving over the monthly plan of the same kind, in dollars. */
export interface Saving {
  aMonth: number;
  aYear: number;
}

interface Offered extends Priced {
  availableseats: number;
}

const MONTHS = 12;

/** Null for a monthly plan, and if no monthly plan of the same name and seats costs more over a year. */
export function savingOf(plan: Offered, all: readonly Offered[]): Saving | null {
  if (isMonthly(plan) || Number(plan.price) <= 0) return null;
  const same = all.find((one) => isMonthly(one) && one.availableseats === plan.availableseats && plan.name.startsWith(one.name));
  const aYear = same ? Number(same.price) * MONTHS - Number(plan.price) : 0;
  if (aYear <= 0) return null;
  return { aMonth: Math.round((Number(plan.price) / MONTHS) * 100) / 100, aYear };
}
