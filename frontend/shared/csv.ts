/** Rows as CSV (RFC 4180). Import it dynamically: Papa Parse is 7 kB that only a saved file needs. */
import Papa from "papaparse";

/** Text that a spreadsheet would interpret as a formula gets a leading apostrophe. */
export function csvOf(head: string[], rows: unknown[][]): string {
  return `${Papa.unparse({ fields: head, data: rows }, { escapeFormulae: true })}\r\n`;
}
