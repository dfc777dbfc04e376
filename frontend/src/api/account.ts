/** The signed-in person with client, credits and subscription: signing in and out, and the one query about them. */
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { isLive } from "../domain/subscription";
import { currentSession, sessionStarted, tokenReplaced, useSession } from "../stores/session";
import { call } from "./client";
import { config } from "./config";
import { keys } from "./keys";
import { renewing } from "./renewal";
import type { Account, Balances, Client, Credits, Subscription } from "./types";

const REFRESH_MS = 20_000;

/** The signed-in user. Fetched again while the tab is in use, so that a disabled or deleted user is out in every tab. */
export const account = queryOptions({
  queryKey: keys.account,
  queryFn: ({ signal }) => call<Account>("PUT", "user/session", { signal }),
  staleTime: REFRESH_MS,
  refetchInterval: REFRESH_MS,
  refetchOnWindowFocus: "always",
});

/** The account inside the dashboard, where the shell has waited for it. */
export function useAccount(): Account {
  const { data } = useQuery(account);
  if (!data) throw new Error("useAccount outside the dashboard shell");
  return data;
}

/** The account where there may be none yet. */
export function useMaybeAccount(): Account | undefined {
  const session = useSession();
  return useQuery({ ...account, enabled: session !== null }).data;
}

/** Signs in by password. Throws ApiError with code 800 to 803 for an account that cannot be used. */
export async function signIn(email: string, password: string): Promise<Account> {
  return started(
    await call<Account>("POST", "user/session", { body: { email: email.toLowerCase(), password }, anonymous: true }),
  );
}

/** Resumes a session by its token. */
export async function signInSilently(token: string): Promise<Account> {
  return started(await call<Account>("POST", "user/session", { body: { session_token: token }, anonymous: true }));
}

/** Exchanges the token or ticket of a link for a session. */
export async function signInByToken(token: string): Promise<Account> {
  return started(await call<Account>("GET", "user/session", { query: { session_token: token }, anonymous: true }));
}

function started(found: Account): Account {
  sessionStarted({ apiKey: config().appkey, sessionToken: found.session_token, emailid: found.email });
  return found;
}

/** Ends the session on the server. Whatever it answers, this browser forgets the session afterwards. */
export async function signOut(): Promise<void> {
  if (currentSession()) await call("DELETE", "user/session").catch(() => undefined);
}

/** Puts new balances into the account that is already there, without asking again. */
export function useBalancesKnown() {
  const queries = useQueryClient();
  return (balances: Balances) =>
    queries.setQueryData(account.queryKey, (old) => old && { ...old, client_by_clientid: withCredits(old.client_by_clientid, balances) });
}

function withCredits(client: Client, balances: Balances): Client {
  const [first, ...rest] = client.usercredit_by_clientid;
  if (!first) return client;
  const emailcredit = balances.bus_email_credits + balances.personal_email_credits;
  return { ...client, usercredit_by_clientid: [{ ...first, ...balances, emailcredit }, ...rest] };
}

export const creditsOf = (one: Account): Credits | undefined => one.client_by_clientid.usercredit_by_clientid[0];
export const subscriptionOf = (one: Account): Subscription | undefined =>
  one.client_by_clientid.usersubscription_by_clientid[0];

/** The owner of the company account; the interface calls the role Admin. */
export const isOwner = (one: Pick<Account, "role">): boolean => one.role === "client";

/** Whether nothing more can be revealed: no live subscription, or no credit of any kind. */
export function isExpired(one: Account): boolean {
  const credits = creditsOf(one);
  const emails = credits?.emailcredit ?? (credits?.bus_email_credits ?? 0) + (credits?.personal_email_credits ?? 0);
  return !hasLivePlan(one) || (credits?.contactcredit ?? 0) + emails <= 0;
}

/** Whether the subscription counts. */
export function hasLivePlan(one: Account): boolean {
  const subscription = subscriptionOf(one);
  return subscription !== undefined && isLive(subscription);
}

export function isFreePlan(one: Account): boolean {
  const plan = subscriptionOf(one)?.subscriptionplan_by_planid;
  return !plan || Number(plan.price) === 0;
}

/** Whether the plan holds the look-up API. */
export const hasApi = (one: Account): boolean => Boolean(subscriptionOf(one)?.subscriptionplan_by_planid?.apiaccess);

interface NewPassword {
  old_password: string;
  new_password: string;
  confirm_password: string;
}

/** Changes the password: the other sessions end, this one goes on under a new token. */
export const changePassword = (body: NewPassword): Promise<void> =>
  renewing(async () => {
    const path = "user/password";
    const { session_token } = await call<{ session_token: string }>("POST", path, { query: { reset: true, login: true }, body });
    tokenReplaced(session_token);
  });
