/** The signed-in user with client, credits and subscription: the query of the session, sign-in and sign-out. */
import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { isLive } from "../domain/subscription";
import { currentSession, sessionStarted, tokenReplaced, useSession } from "../stores/session";
import { call } from "./client";
import { config } from "./config";
import { isFollowed } from "./following";
import { keys } from "./keys";
import { renewing } from "./renewal";
import type { Account, Balances, Client, Credits, Subscription } from "./types";

const REFRESH_MS = 20_000;
/** While a stream follows the balance: it also ends when its session does. */
const FOLLOWED_MS = 300_000;

/** The signed-in user. Refetched while the tab is in use, so a disabled or deleted user is signed out of every tab. */
export const account = queryOptions({
  queryKey: keys.account,
  queryFn: async ({ signal }) => {
    const me = await call<Account & { server_time?: string }>("PUT", "user/session", { signal });
    // Left out because it differs in every response and would render every screen again.
    delete me.server_time;
    return me;
  },
  staleTime: REFRESH_MS,
  refetchInterval: () => (isFollowed("usercredit") ? FOLLOWED_MS : REFRESH_MS),
  refetchOnWindowFocus: "always",
});

/** The account, for screens inside the dashboard: the frame has loaded it. */
export function useAccount(): Account {
  const { data } = useQuery(account);
  if (!data) throw new Error("useAccount outside the dashboard shell");
  return data;
}

/** The account, or undefined before it has been loaded or without a session. */
export function useMaybeAccount(): Account | undefined {
  const session = useSession();
  return useQuery({ ...account, enabled: session !== null }).data;
}

/** Signs in by password. Throws ApiError with code 800 to 803 for an account that cannot be used, and with code 804 and
 `mfatoken` in its context if `completeSignIn` must follow. */
export async function signIn(email: string, password: string): Promise<Account> {
  return started(
    await call<Account>("POST", "user/session", { body: { email: email.toLowerCase(), password }, anonymous: true }),
  );
}

/** Completes a sign-in with a code of the authenticator app or a recovery code. */
export async function completeSignIn(mfatoken: string, code: string): Promise<Account> {
  return started(await call<Account>("POST", "user/session", { body: { mfatoken, code }, anonymous: true }));
}

/** Resumes a session by its token. */
export async function signInSilently(token: string): Promise<Account> {
  return started(await call<Account>("POST", "user/session", { body: { session_token: token }, anonymous: true }));
}

/** Exchanges the token or ticket of a link for a session. */
export async function signInByToken(token: string): Promise<Account> {
  return started(await call<Account>("GET", "user/session", { query: { session_token: token }, anonymous: true }));
}

function started(me: Account): Account {
  sessionStarted({ apiKey: config().appkey, sessionToken: me.session_token, emailid: me.email, staff: me.role === "staff" });
  return me;
}

/** Ends the session on the server. A failure is ignored: the caller drops the session in any case. */
export async function signOut(): Promise<void> {
  if (currentSession()) await call("DELETE", "user/session").catch(() => undefined);
}

/** Returns a function that stores new balances in the cached account without a request. */
export function useBalancesKnown() {
  const queries = useQueryClient();
  return (balances: Balances) => setBalances(queries, balances);
}

/** Stores new balances in the cached account. */
export function setBalances(queries: QueryClient, balances: Balances): void {
  queries.setQueryData(account.queryKey, (old) => old && { ...old, client_by_clientid: withCredits(old.client_by_clientid, balances) });
}

function withCredits(client: Client, balances: Balances): Client {
  const [first, ...rest] = client.usercredit_by_clientid;
  if (!first) return client;
  const emailcredit = balances.bus_email_credits + balances.personal_email_credits;
  return { ...client, usercredit_by_clientid: [{ ...first, ...balances, emailcredit }, ...rest] };
}

export const creditsOf = (me: Account): Credits | undefined => me.client_by_clientid.usercredit_by_clientid[0];
export const subscriptionOf = (me: Account): Subscription | undefined =>
  me.client_by_clientid.usersubscription_by_clientid[0];

/** The owner of the company account; the interface calls the role Admin. */
export const isOwner = (me: Pick<Account, "role">): boolean => me.role === "client";

/** Whether nothing more can be revealed: no live subscription, or no credit of any kind. */
export function isExpired(me: Account): boolean {
  const credits = creditsOf(me);
  const emails = credits?.emailcredit ?? (credits?.bus_email_credits ?? 0) + (credits?.personal_email_credits ?? 0);
  return !hasLivePlan(me) || (credits?.contactcredit ?? 0) + emails <= 0;
}

/** Whether there is a live subscription. */
export function hasLivePlan(me: Account): boolean {
  const subscription = subscriptionOf(me);
  return subscription !== undefined && isLive(subscription);
}

export function isFreePlan(me: Account): boolean {
  const plan = subscriptionOf(me)?.subscriptionplan_by_planid;
  return !plan || Number(plan.price) === 0;
}

/** Whether the plan includes the look-up API. */
export const hasApi = (me: Account): boolean => Boolean(subscriptionOf(me)?.subscriptionplan_by_planid?.apiaccess);

interface NewPassword {
  /** Of two-step sign-in. */
  code?: string;
  old_password: string;
  new_password: string;
  confirm_password: string;
}

/** Changes the password: other sessions end, this one continues under a new token. */
export const changePassword = (body: NewPassword): Promise<void> =>
  renewing(async () => {
    const path = "user/password";
    const { session_token } = await call<{ session_token: string }>("POST", path, { query: { reset: true, login: true }, body });
    tokenReplaced(session_token);
  });
