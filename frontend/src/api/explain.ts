/** User-facing messages for errors. */
import { t } from "../lib/i18n";
import { language } from "../lib/language";
import { numberText } from "../lib/locale";
import { type Facts, errorText } from "../lib/errortext";
import { ApiError } from "./errors";

export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return t("somethingWrong");
  if (error.reason === "offline") return t("problem.offline");
  if (error.reason === "timeout") return t("problem.timeout");
  if (error.status === 429) return tooMany(error.retryAfter ?? MINUTE);
  return error.message ? (translated(error.context) ?? error.message) : t("somethingWrong");
}

const translated = (context: Facts): string | undefined => errorText(context, language().errors, numberText);

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
