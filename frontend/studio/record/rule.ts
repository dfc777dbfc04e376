/** Say which rule a value violates, and which value it is. */
import { ApiError } from "../api/client";
import type { Row } from "../api/types";
import { shown } from "../lib/format";
import { T } from "../texts";

const CONSTRAINT = /check constraint "([^"]+)"/;

/** The column that the name of a rule begins with or holds, of those that were sent: `review_stars_check` is about `stars`. */
function columnOf(rule: string, sent: readonly string[]): string | undefined {
  return sent.filter((name) => rule.toLowerCase().includes(name.toLowerCase())).toSorted((a, b) => b.length - a.length)[0];
}

/** The error with the rule and the value in its message, where it is about a rule of the table. */
export function withRule(error: unknown, sent: Row): unknown {
  if (!(error instanceof ApiError)) return error;
  const { reason, reasons, postgres } = error.context;
  if (reason !== "check" && reasons?.[0] !== "check") return error;
  const rule = CONSTRAINT.exec(postgres ?? error.context.resource?.[0]?.context?.postgres ?? "")?.[1] ?? "";
  const names = Object.keys(sent);
  const column = columnOf(rule, names) ?? (names.length === 1 ? names[0] : undefined);
  if (!column && !rule) return error;
  const message = T.violates(column ?? "", column ? shown(sent[column]) : "", rule);
  return new ApiError(error.status, message, { reason: "check", ...(column ? { field: column } : {}) });
}
