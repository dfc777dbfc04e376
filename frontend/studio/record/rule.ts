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

/** The error with constraint and value in its message, if a constraint of the table caused it. */
export function withRule(error: unknown, sent: Row): unknown {
  if (!(error instanceof ApiError)) return error;
  const { reason, reasons, postgres } = error.context;
  if (reason !== "check" && reasons?.[0] !== "check") return error;
  const rule = CONSTRAINT.exec(postgres ?? error.context.resource?.[0]?.context?.postgres ?? "")?.[1] ?? "";
  const names = Object.keys(sent);
  const column = columnOf(rule, names) ?? (names.length === 1 ? names[0] : undefined);
  if (!column && !rule) return error;
  const message = T.violates(column ?? "", column ? shown(sent[column]) : "", rule);
  return new ApiError(error.status, message, error.code, { reason: "check", ...(column ? { field: column } : {}) }, error.retryAfter, error.request);
}
