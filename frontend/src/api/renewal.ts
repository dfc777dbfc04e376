/** Replaces the session token while requests are in flight, in this tab or another one. */

const LOCK = "session-renewal";
let current: Promise<unknown> = Promise.resolve();

/** Runs `replace`, which must store the new token before it resolves. */
export function renewing<Value>(replace: () => Promise<Value>): Promise<Value> {
  // Web Locks work across tabs, on https and on localhost only.
  const done = navigator.locks ? navigator.locks.request(LOCK, replace) : replace();
  current = done.catch(() => undefined);
  return done as Promise<Value>;
}

/** Resolves when no replacement is in progress. */
export async function renewalSettled(): Promise<void> {
  await current;
  await navigator.locks?.request(LOCK, { mode: "shared" }, () => undefined);
}
