/** Months of the usage reports, `YYYY-MM`. Pure; all in UTC. */

const NAMES = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const MONTH = /^(20\d\d)-(0[1-9]|1[0-2])$/;

export const monthNow = (now = new Date()): string => now.toISOString().slice(0, 7);

/** The month of a text; the present one for a text that is none, or one that is still to come. */
export function monthOf(text: string | null, now = new Date()): string {
  return text !== null && MONTH.test(text) && text <= monthNow(now) ? text : monthNow(now);
}

export function monthAfter(month: string, steps: number): string {
  const [year, number] = month.split("-").map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + steps, 1)).toISOString().slice(0, 7);
}

/** `November 2026`. */
export function monthText(month: string): string {
  const [year, number] = month.split("-");
  return `${NAMES[Number(number) - 1]} ${year}`;
}

/** Day 01 to 30, or 28 in February: what the server takes for the whole month, to its true end. */
export function monthSpan(month: string): { startdate: string; enddate: string } {
  const last = month.endsWith("-02") ? 28 : 30;
  return { startdate: `${month}-01 00:00:00`, enddate: `${month}-${last} 23:59:59` };
}
