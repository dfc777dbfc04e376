/** Read and write tables of text: CSV by Papa Parse, Excel files by read-excel-file. */
import Papa from "papaparse";
import { csvOf } from "../../../shared/csv";
import { readText } from "../../../shared/readtext";
import { readJson, writeJson } from "../../api/json";

export interface Sheet {
  head: string[];
  /** Each line has as many cells as the header. */
  lines: string[][];
}

function sheetOf(rows: string[][]): Sheet {
  const [head = [], ...lines] = rows;
  return { head: head.map((name) => name.trim()), lines: lines.filter((line) => line.some((cell) => cell !== "")).map((line) => head.map((_, index) => line[index] ?? "")) };
}

/** Commas, semicolons, tabs and other delimiters are detected. */
export function readCsv(text: string): Sheet {
  return sheetOf(Papa.parse<string[]>(text.replace(/^\uFEFF/, "").trimEnd(), { skipEmptyLines: true }).data);
}

export async function readFile(file: File): Promise<Sheet> {
  if (!/\.xlsx$/i.test(file.name)) return readCsv(await readText(file));
  const { readSheet } = await import("read-excel-file/browser");
  const rows = await readSheet(file);
  return sheetOf(rows.map((row) => row.map(cellText)));
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return cell instanceof Date ? cell.toISOString().replace(/T00:00:00\.000Z$/, "") : String(cell);
}

const cellOf = (value: unknown): unknown => (value !== null && typeof value === "object" ? writeJson(value) : value);

/** Converts JSON lines to CSV. */
export function csvOfLines(lines: string): string {
  const rows = lines.split("\n").filter(Boolean).map((line) => readJson(line) as Record<string, unknown>);
  const head = Object.keys(rows[0] ?? {});
  return csvOf(head, rows.map((row) => head.map((name) => cellOf(row[name]))));
}
