/** Errors of the product's calls, and which of them end the session. */
import { ApiError, type ErrorContext, type RecordError } from "../../shared/apierror";

export { ApiError, type ErrorContext };

interface Envelope {
  error?: { code?: number; message?: string; context?: ErrorContext | null } | number;
}

/** The address does not belong to a company: its domain is free, disposable or unknown. */
export class NotBusiness extends Error {}
/** The address has an account already. */
export class EmailTaken extends Error {}

/** The sign-in provider rejected the sign-in, or its dialog was closed. */
export class ProviderRejected extends Error {}

/** Converts a failed response to an ApiError. A batch error (code 1000) of one record is the error of that record. */
export function errorOf(response: Response, body: unknown): ApiError {
  const { error } = (body ?? {}) as Envelope;
  const retryAfter = Number(response.headers.get("Retry-After")) || undefined;
  const { status } = response;
  if (typeof error === "number") return new ApiError(status, "", error, {}, retryAfter);

  const context: ErrorContext = { request_id: response.headers.get("X-Request-Id") ?? "", ...error?.context };
  const failed = error?.code === 1000 ? firstFailure(context) : undefined;
  if (failed) {
    const facts = { ...context, ...(context.reasons && { reason: context.reasons[0] ?? "" }), ...failed.context };
    return new ApiError(failed.code ?? status, failed.message ?? "", failed.code, facts, retryAfter);
  }
  return new ApiError(status, error?.message ?? "", error?.code ?? status, context, retryAfter);
}

function firstFailure({ resource }: ErrorContext): RecordError | undefined {
  return Array.isArray(resource) ? resource.find((part) => typeof part?.message === "string") : undefined;
}

/** Whether an error ends the session: 401, 403 or 404 with a scope other than `resource`. */
export function endsSession(error: unknown): error is ApiError {
  return error instanceof ApiError && [401, 403, 404].includes(error.status) && error.context.scope !== "resource";
}
