/** Rules of a spreadsheet: names of sheets and what a cell holds. Pure. */

const LONGEST = 30;
const VALUES_PER_CELL = 3;

/** A name that a spreadsheet takes: no / \ : [ ] * ?, at most 30 characters. */
export function sheetName(name: string): string {
  const clean = name.replace(/[/\\:[\]*?]/g, "_");
  return clean.length > LONGEST ? `${clean.slice(0, LONGEST - 2)}..` : clean;
}

/** At most three values in one cell. */
export function cell(values: string[]): string {
  return values.slice(0, VALUES_PER_CELL).join(", ");
}
