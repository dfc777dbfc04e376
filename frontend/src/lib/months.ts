/** Months of the usage reports, `YYYY-MM`, in UTC. */
import { dateFormat } from "./locale";

const MONTH = /^(20\d\d)-(0[1-9]|1[0-2])$/;

export const monthNow = (now = new Date()): string => now.toISOString().slice(0, 7);

/** The month of a text; the current one if the text is not a month, or names a future one. */
export function monthOf(text: string | null, now = new Date()): string {
  return text !== null && MONTH.test(text) && text <= monthNow(now) ? text : monthNow(now);
}

export function monthAfter(month: string, steps: number): string {
  const [year, number] = month.split("-").map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + steps, 1)).toISOString().slice(0, 7);
}

/** `November 2026`. */
export function monthText(month: string): string {
  return dateFormat({ month: "long", year: "numeric", timeZone: "UTC" }).format(new Date(`${month}-01T00:00:00Z`));
}

/** Days 01 to 30, or 28 in February: the server extends the span to the end of the month. */
export function monthSpan(month: string): { startdate: string; enddate: string } {
  const last = month.endsWith("-02") ? 28 : 30;
  return { startdate: `${month}-01 00:00:00`, enddate: `${month}-${last} 23:59:59` };
}
