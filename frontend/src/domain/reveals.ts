/** People revealed per day: a period, and the same number of days before it. Pure. */
import { dayText } from "../lib/dates";

interface DayCount {
  date: string;
  /** Revealed values. */
  count: number;
  /** Their people; absent on an older server, which counts values only. */
  people?: number | undefined;
}

export interface Period {
  points: { label: string; value: number; before: number }[];
  /** People of the period. */
  total: number;
  /** People of the preceding days. */
  before: number;
  /** Values of the period: a person has up to three kinds. */
  values: number;
}

const sum = (of: readonly number[]): number => of.reduce((total, value) => total + value, 0);

/** `days` are all days of both periods in order; days without a count are 0. */
export function periodOf(days: readonly string[], counts: readonly DayCount[]): Period {
  const byDay = new Map(counts.map(({ date, count, people }) => [date, people ?? count]));
  const values = days.map((day) => byDay.get(day) ?? 0);
  const half = Math.floor(days.length / 2);
  const from = days[half] ?? "";
  const points = days.slice(half).map((day, index) => ({ label: dayText(day), value: values[half + index]!, before: values[index]! }));
  const revealed = counts.filter(({ date }) => date >= from).map(({ count }) => count);
  return { points, total: sum(values.slice(half)), before: sum(values.slice(0, half)), values: sum(revealed) };
}

/** The change in whole per cent; null if the previous value is 0. */
export const changeOf = ({ total, before }: Pick<Period, "total" | "before">): number | null =>
  before === 0 ? null : Math.round(((total - before) / before) * 100);
