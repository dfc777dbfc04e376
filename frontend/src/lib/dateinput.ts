/** Dates of a text field, dd-MM-yyyy, and of the API, yyyy-MM-dd. */

/** `2026-01-10` from `10-01-2026`; null for a text that is not a date. */
export function isoFromInput(text: string): string | null {
  const [, day, month, year] = text.trim().match(/^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/) ?? [];
  if (!day || !month || !year) return null;
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : null;
}

/** `10-01-2026` from `2026-01-10`; an empty text for a text that is not a date. */
export function inputFromIso(iso: string): string {
  const [, year, month, day] = iso.match(/^(\d{4})-(\d\d)-(\d\d)$/) ?? [];
  return year ? `${day}-${month}-${year}` : "";
}
