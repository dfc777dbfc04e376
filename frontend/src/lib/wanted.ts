/** The address that was asked for before signing in. It travels in the state of the history entry, never in the URL. */

/** Where a temporary password has to be changed before anything else. */
export const CHANGE_PASSWORD = "/dashboard/settings/password";

const ROOT = "/dashboard/";

interface Place {
  pathname: string;
  search: string;
}

/** The state of a redirect to the sign-in. A session token in the address is left out. */
export function wantedState({ pathname, search }: Place): { wanted: string } {
  const query = new URLSearchParams(search);
  query.delete("session_token");
  const rest = query.toString();
  return { wanted: pathname + (rest && `?${rest}`) };
}

/** Where a sign-in leads to: the address of the state if it is one of the dashboard, else `home`. */
export function afterSignIn(state: unknown, home: string): string {
  const wanted = (state as { wanted?: unknown } | null)?.wanted;
  return typeof wanted === "string" && isOfDashboard(wanted) ? wanted : home;
}

/** Resolves the address as a browser does, so that no spelling of another origin passes. */
function isOfDashboard(address: string): boolean {
  if (!address.startsWith(ROOT)) return false;
  const { origin, pathname } = new URL(address, window.location.origin);
  return origin === window.location.origin && pathname.startsWith(ROOT);
}
