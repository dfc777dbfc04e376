/** The error of a failed call, and its classification. */

export interface ErrorContext {
  reason?: string;
  scope?: "account" | "resource";
  request_id?: string;
  fields?: Record<string, string>;
  [name: string]: unknown;
}

interface Envelope {
  error?: { code?: number; message?: string; context?: ErrorContext | null } | number;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  readonly context: ErrorContext;
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, code = status, context: ErrorContext = {}, retryAfter?: number) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.context = context;
    this.retryAfter = retryAfter;
  }

  get reason(): string {
    return this.context.reason ?? "";
  }

  get requestId(): string {
    return this.context.request_id ?? "";
  }
}

/** The address does not belong to a company: its domain is free, disposable or unknown. */
export class NotBusiness extends Error {}
/** The address has an account already. */
export class EmailTaken extends Error {}

/** The sign-in provider rejected the sign-in, or its dialog was closed. */
export class ProviderRefused extends Error {}

/** Converts a failed response to an ApiError. A batch error (code 1000) of one record is the error of that record. */
export function errorOf(response: Response, body: unknown): ApiError {
  const { error } = (body ?? {}) as Envelope;
  const retryAfter = Number(response.headers.get("Retry-After")) || undefined;
  const { status } = response;
  if (typeof error === "number") return new ApiError(status, "", error, {}, retryAfter);

  const context: ErrorContext = { request_id: response.headers.get("X-Request-Id") ?? "", ...error?.context };
  const failed = error?.code === 1000 ? firstFailure(context) : undefined;
  if (failed) return new ApiError(failed.code, failed.message, failed.code, { ...context, ...failed.context }, retryAfter);
  return new ApiError(status, error?.message ?? "", error?.code ?? status, context, retryAfter);
}

interface Failure {
  code: number;
  message: string;
  context?: ErrorContext;
}

function firstFailure(context: ErrorContext): Failure | undefined {
  const { resource } = context;
  if (!Array.isArray(resource)) return undefined;
  return (resource as Partial<Failure>[]).find((part): part is Failure => typeof part?.message === "string");
}

/** Whether an error ends the session: 401, 403 or 404 with a scope other than `resource`. */
export function endsSession(error: unknown): error is ApiError {
  return error instanceof ApiError && [401, 403, 404].includes(error.status) && error.context.scope !== "resource";
}

/** Whether a retry may succeed: no connection, a busy server, a gateway error. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiError && [0, 502, 503, 504].includes(error.status);
}
