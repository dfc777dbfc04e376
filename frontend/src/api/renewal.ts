/** Replacing the session token while other requests are under way, in this tab or another one. */

const LOCK = "session-renewal";
let underWay: Promise<unknown> = Promise.resolve();

/** Runs `replace`, which must store the new token before it resolves. */
export function renewing<Value>(replace: () => Promise<Value>): Promise<Value> {
  // Web Locks reach the other tabs; they exist on https and on localhost only.
  const done = navigator.locks ? navigator.locks.request(LOCK, replace) : replace();
  underWay = done.catch(() => undefined);
  return done as Promise<Value>;
}

/** Resolves when no replacement is under way. */
export async function renewalSettled(): Promise<void> {
  await underWay;
  await navigator.locks?.request(LOCK, { mode: "shared" }, () => undefined);
}
