/** Forecasts how long credits last at the recent pace. Pure. */
import { DAY_MS } from "../lib/dates";

/** The days that `spent` covers. */
export const PACE_DAYS = 30;
/** A pace of less than one credit in this many days allows no forecast. */
const FEWEST = 3;

export interface Forecast {
  /** YYYY-MM-DD of the day on which the last credit is spent. */
  until: string;
  /** Whether that day is before the credits are renewed. */
  short: boolean;
}

/** When `left` credits are used up; null if too few were spent to tell, or none are left. */
export function forecast(left: number, spent: number, renewson: Date | null, now = new Date()): Forecast | null {
  if (left <= 0 || spent < FEWEST) return null;
  const end = new Date(now.getTime() + (left / (spent / PACE_DAYS)) * DAY_MS);
  const tooFar = end.getUTCFullYear() > now.getUTCFullYear() + 2;
  if (tooFar) return null;
  return { until: end.toISOString().slice(0, 10), short: renewson !== null && end < renewson };
}

/** The share of a balance left at the renewal, from 0 to 1, for the tick of a meter; null without a forecast. */
export function leftAtRenewal(left: number, spent: number, total: number, renewson: Date | null, now = new Date()): number | null {
  if (!renewson || spent < FEWEST || total <= 0 || renewson <= now) return null;
  const days = (renewson.getTime() - now.getTime()) / DAY_MS;
  return Math.max(0, (left - days * (spent / PACE_DAYS)) / total);
}
