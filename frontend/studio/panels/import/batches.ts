/** Write lines of text as records, in batches; a first pass only finds the lines that the database rejects. */
import { ApiError, ask, tablePath } from "../../api/client";
import type { Field, Page, Row } from "../../api/types";
import { BadValue, valueOf } from "../../record/draft";
import { ruleOf } from "../../record/rule";
import type { Sheet } from "./files";

/** Column of the table for each column of the file; null leaves it out. */
export type Mapping = (string | null)[];

export interface BadLine {
  /** The line number in the file, where the header is line 1. */
  line: number;
  reason: string;
}

export interface Line {
  line: number;
  values: Row;
}

export interface Checked {
  good: Line[];
  bad: BadLine[];
}

const BATCH = 250;
const HEAD_LINES = 1;

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Maps columns by name, ignoring case and punctuation. */
export function mapped(head: readonly string[], fields: readonly Field[]): Mapping {
  return head.map((name) => fields.find((field) => field.create && plain(field.name) === plain(name))?.name ?? null);
}

/** The values of each line; invalid ones are reported with their line. Pure. */
export function linesOf({ lines }: Sheet, mapping: Mapping, fields: readonly Field[]): Checked {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const result: Checked = { good: [], bad: [] };
  lines.forEach((cells, index) => {
    const line = index + 1 + HEAD_LINES;
    try {
      result.good.push({ line, values: valuesOfLine(cells, mapping, byName) });
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      result.bad.push({ line, reason: `${error.field}: ${error.message}` });
    }
  });
  return result;
}

function valuesOfLine(cells: readonly string[], mapping: Mapping, byName: Map<string, Field>): Row {
  const values: Row = {};
  mapping.forEach((name, column) => {
    const field = name === null ? undefined : byName.get(name);
    const text = cells[column] ?? "";
    if (!field) return;
    // An empty cell sends no value: the column's default or NULL applies.
    if (text === "") {
      if (!field.has_default && field.allow_null) values[field.name] = null;
    } else values[field.name] = valueOf(field, /^(?:true|false)$/i.test(text) ? text.toLowerCase() : text);
  });
  return values;
}

interface Options {
  dataset: string;
  table: string;
  lines: readonly Line[];
  isTrial: boolean;
  onProgress: (done: number) => void;
}

/** Sends every line separately. Returns the accepted lines and the rejected ones. */
export async function sendLines({ dataset, table, lines, isTrial, onProgress }: Options): Promise<Checked> {
  const result: Checked = { good: [], bad: [] };
  for (let at = 0; at < lines.length; at += BATCH) {
    const batch = lines.slice(at, at + BATCH);
    const rejected = await sendBatch(dataset, table, batch, isTrial);
    for (const [index, line] of batch.entries()) {
      const reason = rejected.get(index);
      if (reason === undefined) result.good.push(line);
      else result.bad.push({ line: line.line, reason });
    }
    onProgress(Math.min(lines.length, at + BATCH));
  }
  return result;
}

/** Reasons by position in the batch. Throws ApiError if the whole batch is rejected, for example for lack of rights. */
async function sendBatch(dataset: string, table: string, batch: readonly Line[], isTrial: boolean): Promise<Map<number, string>> {
  try {
    const params = { continue: true, ...(isTrial ? { dry_run: true } : {}) };
    await ask<Page>(tablePath(dataset, table), { method: "POST", params, body: { resource: batch.map(({ values }) => values) } });
    return new Map();
  } catch (error) {
    if (!(error instanceof ApiError) || !error.context.error) throw error;
    const { error: positions, reasons = [], resource = [] } = error.context;
    return new Map(
      positions.map((position, index) => {
        const failed = resource[position];
        const rule = reasons[index] === "check" ? ruleOf(failed?.context?.postgres ?? "", batch[position]?.values ?? {}) : null;
        return [position, rule?.message ?? failed?.message ?? error.message];
      }),
    );
  }
}
