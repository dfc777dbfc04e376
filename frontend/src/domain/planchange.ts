/** What a plan card offers, given the present subscription. Pure. */
import { parseDate } from "../lib/dates";
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

/** Made to measure: it is talked about, not bought. */
export const isMadeToMeasure = (plan: Pick<Plan, "sku" | "price">): boolean => isCustom(plan) && !isFree(plan);

export const isOver = (one: Pick<Subscription, "expirydate" | "graceuntil" | "isactive">, now = new Date()): boolean => !isLive(one, now);

/** Whether a subscription goes on by itself. Only then is there a current plan, and an up and a down. */
export function goesOn(one: Subscription | undefined, now = new Date()): one is Subscription {
  return one !== undefined && renews(one) && !isOver(one, now);
}

/** Cancelled, and its paid period is not over: choosing it again takes the cancel back. */
export function canResume(one: Subscription | undefined, planid: number, now = new Date()): boolean {
  return one !== undefined && one.planid === planid && !renews(one) && !isOver(one, now);
}

export function offerOf(plan: Plan, one: Subscription | undefined, now = new Date()): Offer {
  const running = goesOn(one, now);
  if (running && one.planid === plan.planid) return "current";
  if (isMadeToMeasure(plan)) return "contact";
  const present = one?.subscriptionplan_by_planid;
  if (!running || !present || isMadeToMeasure(present)) return "subscribe";
  return plan.planid > one.planid ? "upgrade" : "downgrade";
}

/** Credits of each kind that belong to the plan and end with it; bought ones stay. */
export type PlanCredits = Record<Kind, number>;

export function planCredits(credits: object | undefined): PlanCredits {
  const left = (credits ?? {}) as Record<string, number | undefined>;
  const of = (kind: Kind) => Math.max(0, (left[CREDIT_OF[kind]] ?? 0) - (left[`${CREDIT_OF[kind]}_bought`] ?? 0));
  return Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as PlanCredits;
}

/** What is left of a paid period that does not renew. */
export interface Rest {
  name: string;
  until: string;
  days: number;
  /** Of the price, in dollars. */
  worth: number;
}

const DAY_MS = 86_400_000;

/** What a new subscription would end at once; null when nothing paid is left. */
export function restOf(one: (Subscription & { subscriptionplan_by_planid: Priced | null }) | undefined, now = new Date()): Rest | null {
  const plan = one?.subscriptionplan_by_planid;
  const end = parseDate(one?.expirydate);
  if (!one || !plan || !end || renews(one) || isOver(one, now) || end <= now || isFree(plan)) return null;
  const days = Math.ceil((end.getTime() - now.getTime()) / DAY_MS);
  const worth = Math.max(0, Number(plan.price)) * Math.min(1, days / plan.validity);
  return { name: plan.name, until: one.expirydate!, days, worth };
}

/** A yearly price by the month, and what a year of it saves over the monthly plan of the same kind, in dollars. */
export interface Saving {
  aMonth: number;
  aYear: number;
}

interface Offered extends Priced {
  availableseats: number;
}

const MONTHS = 12;

/** Null for a monthly plan, and where no monthly plan of the same name and seats is dearer over a year. */
export function savingOf(plan: Offered, all: readonly Offered[]): Saving | null {
  if (isMonthly(plan) || Number(plan.price) <= 0) return null;
  const same = all.find((one) => isMonthly(one) && one.availableseats === plan.availableseats && plan.name.startsWith(one.name));
  const aYear = same ? Number(same.price) * MONTHS - Number(plan.price) : 0;
  if (aYear <= 0) return null;
  return { aMonth: Math.round((Number(plan.price) / MONTHS) * 100) / 100, aYear };
}
