/** User-facing messages for errors. */
import { t } from "../lib/i18n";
import { language } from "../lib/language";
import { numberText } from "../lib/locale";
import { ApiError } from "./errors";

export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return t("somethingWrong");
  if (error.reason === "offline") return t("problem.offline");
  if (error.reason === "timeout") return t("problem.timeout");
  if (error.status === 429) return tooMany(error.retryAfter ?? MINUTE);
  return error.message ? (translated(error.context) ?? error.message) : t("somethingWrong");
}

interface Facts {
  reason?: string;
  case?: string;
  [name: string]: unknown;
}

/** Reasons with cases that a vendor names, so that there is always one without a translation. */
const OPEN = new Set(["card_refused"]);

/** The message of an error by its case, or by its reason if it has no case; undefined if there is no translation. */
function translated(facts: Facts): string | undefined {
  const { reason, case: word } = facts;
  if (word === undefined) return textOf(reason, facts);
  return textOf(word, facts) ?? (reason !== undefined && OPEN.has(reason) ? textOf(reason, facts) : undefined);
}

function textOf(word: string | undefined, facts: Facts): string | undefined {
  const refusals = language().refusals;
  if (word === undefined || refusals === undefined || !Object.hasOwn(refusals, word)) return undefined;
  const text = refusals[word]?.replace(/\{\{(\w+)\}\}/g, (place, name: string) => (typeof facts[name] === "number" ? numberText(facts[name]) : place));
  return text?.includes("{{") ? undefined : text;
}

const MINUTE = 60;
const HOUR = 3600;

/** The message with the waiting time, in the largest unit that fits at least twice. */
function tooMany(seconds: number): string {
  if (seconds > 2 * HOUR) return t("problem.tooManyHours", { count: Math.ceil(seconds / HOUR) });
  if (seconds > 2 * MINUTE) return t("problem.tooManyMinutes", { count: Math.ceil(seconds / MINUTE) });
  return t("problem.tooMany", { seconds });
}

/** Texts of the fields that the server rejected, by field name. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const { fields = {}, field_errors = {} } = error.context;
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, translated(field_errors[name] ?? {}) ?? text]));
}

/** The message for an error that ends the session. */
export function explainLeaving(error: ApiError): string {
  if (error.code === 801 || error.status === 404) return t("session.deletedByAdmin");
  if (error.code === 802) return t("session.unverified");
  if (error.code === 803) return t("session.notAccepted");
  if (error.status === 403) return t("session.disabled");
  return t("session.expired");
}

/** The error message that replaces a list, and the request id. */
export function problemOf(error: unknown): { text: string; requestId: string | undefined } {
  return { text: explain(error), requestId: error instanceof ApiError ? error.requestId : undefined };
}
