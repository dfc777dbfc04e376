/** Groups the credit ledger for display: the kinds of one reveal are one row. Pure. */
import { parseDate } from "../lib/dates";
import { numberText } from "../lib/locale";

/** `+250`, `−2` */
export const changeText = (delta: number): string => `${delta > 0 ? "+" : "−"}${numberText(Math.abs(delta))}`;

interface Entry {
  ledgerid: number;
  createdon: string;
  kind: string;
  delta: number;
  balance_after: number;
  reason: string;
  actor: number | null;
  keyid: number | null;
  contactid: number | null;
}

/** One row: its newest entry, and all the changes that belong to it, in the order of the kinds. */
export interface LedgerLine<Row extends Entry> {
  first: Row;
  rows: Row[];
  delta: number;
}

// The kinds of a reveal are charged one after another.
const TOGETHER_MS = 10_000;

function belongs(one: Entry, other: Entry): boolean {
  const apart = Math.abs((parseDate(one.createdon)?.getTime() ?? 0) - (parseDate(other.createdon)?.getTime() ?? 0));
  return one.reason === "reveal" && other.reason === "reveal" && one.contactid !== null && one.contactid === other.contactid
    && one.actor === other.actor && one.keyid === other.keyid && apart <= TOGETHER_MS;
}

/** Joins adjacent entries of one reveal. A reveal split across two pages has a row on each. */
export function linesOf<Row extends Entry>(rows: readonly Row[]): LedgerLine<Row>[] {
  const lines: LedgerLine<Row>[] = [];
  for (const row of rows) {
    const last = lines.at(-1);
    if (last && belongs(last.first, row) && !last.rows.some(({ kind }) => kind === row.kind)) {
      last.rows.push(row);
      last.delta += row.delta;
    } else lines.push({ first: row, rows: [row], delta: row.delta });
  }
  return lines;
}
