/** Names the constraint that a value violates, and the value. */
import { ApiError } from "../api/client";
import type { Row } from "../api/types";
import { shown } from "../lib/format";
import { T } from "../texts";

const CONSTRAINT = /check constraint "([^"]+)"/;

/** The sent column that a constraint's name contains: `review_stars_check` concerns `stars`. */
function columnOf(rule: string, sent: readonly string[]): string | undefined {
  return sent.filter((name) => rule.toLowerCase().includes(name.toLowerCase())).toSorted((a, b) => b.length - a.length)[0];
}

/** The column with the value that violates a constraint, and the message with both; null if neither is known. `postgres` is
 PostgreSQL's message. */
export function ruleOf(postgres: string, sent: Row): { column: string | undefined; message: string } | null {
  const rule = CONSTRAINT.exec(postgres)?.[1] ?? "";
  const names = Object.keys(sent);
  const column = columnOf(rule, names) ?? (names.length === 1 ? names[0] : undefined);
  if (!column && !rule) return null;
  return { column, message: T.violates(column ?? "", column ? shown(sent[column]) : "", rule) };
}

/** The error with constraint and value in its message, if a constraint of the table caused it. */
export function withRule(error: unknown, sent: Row): unknown {
  if (!(error instanceof ApiError)) return error;
  const { reason, reasons, postgres } = error.context;
  if (reason !== "check" && reasons?.[0] !== "check") return error;
  const rule = ruleOf(postgres ?? error.context.resource?.[0]?.context?.postgres ?? "", sent);
  if (!rule) return error;
  const field = rule.column ? { field: rule.column } : {};
  return new ApiError(error.status, rule.message, error.code, { reason: "check", ...field }, error.retryAfter, error.request);
}
