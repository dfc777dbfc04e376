/** What a plan offers to somebody who has another one, or this one, or none (specification §4). Pure. */
import { parseDate } from "./dates";
import { isCustom, renews } from "./subscription";

export type Offer = "current" | "upgrade" | "downgrade" | "subscribe" | "contact";

interface Plan {
  planid: number;
  sku: string | null;
  price: number;
}

interface Subscription {
  planid: number;
  autorenew: number | string;
  expirydate: string | null;
  isactive: number;
  subscriptionplan_by_planid: Plan | null;
}

export const isFree = (plan: Pick<Plan, "price">): boolean => Number(plan.price) === 0;

/** Made to measure: it is talked about, not bought. */
export const isMadeToMeasure = (plan: Pick<Plan, "sku" | "price">): boolean => isCustom(plan) && !isFree(plan);

export function isOver(one: Pick<Subscription, "expirydate" | "isactive">, now = new Date()): boolean {
  const end = parseDate(one.expirydate);
  return !one.isactive || (end !== null && end < now);
}

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
