/** Dates as they are typed into a filter, dd-MM-yyyy, and as the server takes them, yyyy-MM-dd. Pure. */

/** `2026-01-10` from `10-01-2026`; null for what is no date. */
export function typedToIso(text: string): string | null {
  const [, day, month, year] = text.trim().match(/^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/) ?? [];
  if (!day || !month || !year) return null;
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : null;
}

/** `10-01-2026` from `2026-01-10`; an empty text for what is no date. */
export function isoToTyped(iso: string): string {
  const [, year, month, day] = iso.match(/^(\d{4})-(\d\d)-(\d\d)$/) ?? [];
  return year ? `${day}-${month}-${year}` : "";
}
