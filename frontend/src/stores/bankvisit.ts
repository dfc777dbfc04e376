/** The add-on that is being paid for on the page of a bank. Kept per tab. */

const KEY = "bankvisit";

export function bankVisited(planid: number): void {
  sessionStorage.setItem(KEY, String(planid));
}

/** Returns the add-on and removes it. */
export function bankLeft(): number | null {
  const planid = Number(sessionStorage.getItem(KEY));
  sessionStorage.removeItem(KEY);
  return planid > 0 ? planid : null;
}
