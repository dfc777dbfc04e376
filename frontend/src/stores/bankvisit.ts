/** Which add-on is being paid for while the person is on the page of their bank. Lives as long as the tab. */

const KEY = "bankvisit";

export function bankVisited(planid: number): void {
  sessionStorage.setItem(KEY, String(planid));
}

/** The add-on, once. */
export function bankLeft(): number | null {
  const planid = Number(sessionStorage.getItem(KEY));
  sessionStorage.removeItem(KEY);
  return planid > 0 ? planid : null;
}
