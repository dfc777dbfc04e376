/** Dates as the server writes them and as people read them. Pure; all in UTC. */

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A moment of the server: `2026-01-10`, `2026-01-10 09:00:00+00` or ISO 8601. */
export function parseDate(text: string | null | undefined): Date | null {
  if (!text) return null;
  const [day, time] = text.trim().split(/[T ]/);
  const zoned = time?.replace(/([+-]\d\d)$/, "$1:00").replace(/^([\d:.]+)$/, "$1Z");
  const date = new Date(zoned ? `${day}T${zoned}` : day!);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** `10 Jan 2026`; an empty text for no date. */
export function dayText(text: string | null | undefined): string {
  const date = parseDate(text);
  return date ? `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}` : "";
}

/** `YYYY-MM-DD` of the day that was some days before now. */
export function daysAgo(days: number, now = new Date()): string {
  return new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);
}

/** Every day from a day to today, both among them. */
export function daysSince(from: string, now = new Date()): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= now.getTime(); at += 86_400_000) days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}
