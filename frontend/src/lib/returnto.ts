/** The address to open after a sign-in. It travels in the state of the history entry, never in the URL. */

/** The screen on which a temporary password must be changed before anything else. */
export const CHANGE_PASSWORD = "/dashboard/settings/password";

const ROOT = "/dashboard/";

interface ReturnState {
  returnTo: string;
}

interface Place {
  pathname: string;
  search: string;
}

/** The state of a redirect to the sign-in. A session token in the address is left out. */
export function returnState({ pathname, search }: Place): ReturnState {
  const query = new URLSearchParams(search);
  query.delete("session_token");
  const rest = query.toString();
  return { returnTo: pathname + (rest && `?${rest}`) };
}

/** The address to open after a sign-in: the one in the state if it is in the dashboard, else `home`. */
export function afterSignIn(state: unknown, home: string): string {
  const address = (state as { returnTo?: unknown } | null)?.returnTo;
  return typeof address === "string" && isOfDashboard(address) ? address : home;
}

/** Resolves the address as a browser does, so that no spelling of another origin passes. */
function isOfDashboard(address: string): boolean {
  if (!address.startsWith(ROOT)) return false;
  const { origin, pathname } = new URL(address, window.location.origin);
  return origin === window.location.origin && pathname.startsWith(ROOT);
}
