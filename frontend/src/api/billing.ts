/** Plans and changes between them: list, preview, payment on the hosted page, change, downgrade, cancellation. */
import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { goesOn } from "../domain/planchange";
import { account } from "./account";
import { call } from "./client";
import { config } from "./config";
import { STALE, invalidate, keys } from "./keys";
import { useMutation } from "./mutation";
import { runScript } from "./scripts";
import { rows, tablePath } from "./tables";
import type { Account, Balances, List, Plan, Subscription, Tables } from "./types";

const CALL = "stripe";
const POLL_MS = 1000;
const POLLS = 20;

export const planList = queryOptions({ ...rows("subscriptionplan", { filter: "(isaddon=0)", order: "planid ASC" }), staleTime: 60_000 });
export const addonList = queryOptions({ ...rows("subscriptionplan", { filter: "(isaddon=1)", order: "planid ASC" }), staleTime: 60_000 });

/** The plan that a scheduled downgrade leads to. */
export function useNextPlan(subscription: Subscription | undefined): Plan | undefined {
  const planid = goesOn(subscription) ? subscription.downgrade_planid : null;
  const plans = useQuery({ ...planList, enabled: Boolean(planid) });
  return planid ? plans.data?.resource.find((plan) => plan.planid === planid) : undefined;
}

/** The cost of a change. Amounts are in the smallest unit of the currency. */
export interface Preview {
  subscription_proration_date: number;
  subtotal: number;
  total: number;
  currency: string;
  dueon?: string;
  lines?: { description: string; amount: number }[];
  credits?: Balances;
}

interface Envelope<Data> {
  success?: 1 | 2;
  resource?: { status: number; code: number; data: Data; url?: string };
}

/** Previews a change of plan; null when there is no running subscription and the hosted page is needed. */
export async function previewChange(subId: number | undefined, plan: number, downgrade = false): Promise<Preview | null> {
  const query = { res: "invoice", subId: subId ?? "", plan, ...(downgrade && { stdate: "yes" }) };
  const answer = await call<Envelope<Preview>>("GET", CALL, { query });
  return answer.success === 2 ? null : (answer.resource?.data ?? null);
}

/** Returns the address of the hosted page for a new subscription. */
export async function openCheckout(me: Account, plan: number): Promise<string> {
  const answer = await call<Envelope<string>>("POST", CALL, { body: { email: me.email, plan, env: environment() } });
  return answer.resource?.url ?? "";
}

/** The outcome of a hosted page of this account. */
export interface CheckoutOutcome {
  planid: number;
  status: "open" | "complete" | "expired";
  /** Whether the provider's event has been processed. */
  settled: 0 | 1;
}

/** The plan of a hosted page and whether it was paid; null when the page belongs to another account. */
export const checkoutOutcome = (session_id: string) =>
  queryOptions({
    queryKey: keys.checkout(session_id),
    queryFn: async ({ signal }) => {
      const answer = await call<Envelope<CheckoutOutcome>>("GET", CALL, { query: { res: "checkout", session_id }, signal });
      return answer.success === 2 ? null : (answer.resource?.data ?? null);
    },
    staleTime: Infinity,
    retry: 1,
  });

/** Changes the plan: upgrades at once, downgrades at the end of the paid period. */
export function changePlan(subId: number, plan: number, proration_date: number) {
  return call("PATCH", CALL, { body: { res: "sub", plan, subId, proration_date, env: environment() } });
}

/** Records a downgrade for the end of the paid period. */
export function recordDowngrade(subscriptionid: number, clientid: number, planid: number, downgrade_startson: string | undefined) {
  const record = { subscriptionid, clientid, downgrade_startson, type: "downgrade", planid };
  return call("PATCH", tablePath("usersubscription"), { body: { resource: [record] } });
}

/** Switches to the free plan. */
export function switchToFree(me: Account, planid: number, subscriptionid: number | undefined) {
  return runScript("upgradeplan", { planid, clientid: me.clientid, subscriptionid });
}

/** Cancels the subscription at the end of the paid period. */
export const cancelPlan = (subId: number) => call("DELETE", CALL, { query: { subId, env: environment() } });
export const useCancelPlan = () => useMutation({ mutationFn: cancelPlan });

/** Returns a function that marks the data changed by a payment as stale. */
export function useAccountStale() {
  const queries = useQueryClient();
  return () => invalidate(queries, STALE.payment);
}

/** Polls the account until a condition is met. Returns false if it is not met after `POLLS` requests. */
export async function accountOnce(queries: QueryClient, holds: (me: Account) => boolean): Promise<boolean> {
  for (let asked = 0; asked < POLLS; asked++) {
    if (holds(await queries.fetchQuery({ ...account, staleTime: 0 }))) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

export interface Usage {
  members: number;
  apis: number;
}

/** The number of seats and API keys in use. The owner does not use a seat. */
export async function usedLimits(): Promise<Usage> {
  const [members, apis] = await Promise.all([
    countOf("appuser", "appuserid", "(isdeleted=0) and (role!=client)"),
    countOf("apikeys", "keyid", "(isdeleted=0)"),
  ]);
  return { members, apis };
}

async function countOf(table: keyof Tables, fields: string, filter: string): Promise<number> {
  const query = { filter, fields, include_count: true, limit: 1 };
  return (await call<List<unknown>>("GET", tablePath(table), { query })).meta?.count ?? 0;
}

/** By how much the use exceeds the limits of a plan. */
export function overBy(plan: Plan, { members, apis }: Usage): Usage {
  return { members: Math.max(0, members - plan.availableseats), apis: Math.max(0, apis - plan.availableapicall) };
}

// Required by the call, but ignored: the server uses its own keys.
const environment = () => (config().demo ? "test" : "live");
