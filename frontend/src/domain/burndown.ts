/** The balance of one kind of credit, day by day: what it was, and what is expected until the renewal. Pure. */
import { DAY_MS, daysAgo } from "../lib/dates";
import { PACE_DAYS } from "./forecast";

/** A renewal later than that is outside of the chart. */
const MOST_AHEAD = 62;

export interface DayBalance {
  /** YYYY-MM-DD, in UTC as the periods of a plan. */
  day: string;
  value: number;
  /** Expected, not known. */
  ahead: boolean;
}

interface Known {
  left: number;
  /** The change of each day; days without one may be missing. */
  changes: ReadonlyMap<string, number>;
  /** The credits of the last 30 days. */
  spent: number;
  renewson: Date | null;
  now?: Date;
}

/** The last 30 days with the balance at the end of each, then the days until the renewal if it is known. */
export function burndown({ left, changes, spent, renewson, now = new Date() }: Known): DayBalance[] {
  const past: DayBalance[] = [];
  let value = left;
  for (let back = 0; back < PACE_DAYS; back += 1) {
    const day = daysAgo(back, now);
    past.unshift({ day, value: Math.max(0, value), ahead: false });
    value -= changes.get(day) ?? 0;
  }
  const days = renewson ? Math.round((Date.parse(daysAgo(0, renewson)) - Date.parse(daysAgo(0, now))) / DAY_MS) : 0;
  if (days <= 0 || days > MOST_AHEAD) return past;
  const expected = Array.from({ length: days }, (_, index) => ({
    day: daysAgo(-(index + 1), now),
    value: Math.max(0, Math.round(left - ((index + 1) * spent) / PACE_DAYS)),
    ahead: true,
  }));
  return [...past, ...expected];
}
