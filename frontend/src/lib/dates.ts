/** Parses and formats the server's dates and timestamps.

 Days of the account, such as the end of a period or the date of an invoice, are days in UTC, as on the invoice itself.
 Moments, such as the last use of a key, are shown in the reader's time zone. */
import { language } from "./language";
import { dateFormat, timeZone } from "./locale";

export const DAY_MS = 86_400_000;
const DAY_LENGTH = "2026-01-10".length;

/** A moment of the server: `2026-01-10`, `2026-01-10 09:00:00+00` or ISO 8601. */
export function parseDate(text: string | null | undefined): Date | null {
  if (!text) return null;
  const [day, time] = text.trim().split(/[T ]/);
  const zoned = time?.replace(/([+-]\d\d)$/, "$1:00").replace(/^([\d:.]+)$/, "$1Z");
  const date = new Date(zoned ? `${day}T${zoned}` : day!);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** A day of the account, in UTC: `10 Jan 2026`; an empty text for no date. */
export const dayText = (text: string | null | undefined): string => dayIn("UTC", text);

/** The date of a timestamp in the reader's time zone: `10 Jan 2026`; an empty text for no date. */
export const localDayText = (text: string | null | undefined): string => dayIn(timeZone(), text);

/** The same without the year if it is the current one: `10 Jan`. */
export function briefDayText(text: string | null | undefined, now = new Date()): string {
  const day = localDayText(text);
  const year = dateFormat({ year: "numeric", timeZone: timeZone() }).format(now);
  return day.endsWith(` ${year}`) ? day.slice(0, -year.length - 1) : day;
}

/** The time of a moment in the reader's time zone: `14:05`; an empty text for no date. */
export function timeText(text: string | null | undefined): string {
  const date = parseDate(text);
  return date ? dateFormat({ hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: timeZone() }).format(date) : "";
}

/** A moment in the reader's time zone: `10 Jan 2026, 14:05`; an empty text for no date. */
export function momentText(text: string | null | undefined): string {
  return parseDate(text) ? `${localDayText(text)}, ${timeText(text)}` : "";
}

function dayIn(zone: string, text: string | null | undefined): string {
  const date = parseDate(text);
  if (!date) return "";
  // A day without a time is the same day everywhere.
  const name = text!.trim().length === DAY_LENGTH ? "UTC" : zone;
  const format = dateFormat({ day: "numeric", month: "short", year: "numeric", timeZone: name });
  return language().name === "en" ? dayFirst(format.formatToParts(date)) : format.format(date);
}

/** English days are written D MMM YYYY in every country. */
function dayFirst(parts: Intl.DateTimeFormatPart[]): string {
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((candidate) => candidate.type === type)?.value ?? "";
  return `${part("day")} ${part("month")} ${part("year")}`;
}

/** `YYYY-MM-DD` of the day some days ago. */
export function daysAgo(days: number, now = new Date()): string {
  return new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Every day from a day to today, both included. */
export function daysSince(from: string, now = new Date()): string[] {
  const days: string[] = [];
  for (let day = Date.parse(from); day <= now.getTime(); day += DAY_MS) days.push(new Date(day).toISOString().slice(0, 10));
  return days;
}
