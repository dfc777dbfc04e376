/** The error of a failed request, as the app and Studio both throw it. */

/** An error of one record in the response to a request for several. */
export interface RecordError {
  code?: number;
  message?: string;
  context?: ErrorContext;
}

/** The possible contents of `error.context`. */
export interface ErrorContext {
  reason?: string;
  /** Which message, if several share the reason. */
  case?: string;
  /** The reasons for a failed list, in the order of its failed records. */
  reasons?: string[];
  /** `account`: the session, rather than the resource, was rejected. */
  scope?: "account" | "resource";
  request_id?: string;
  field?: string;
  fields?: Record<string, string>;
  /** The case of a field's message, and the numbers that the message names. */
  field_errors?: Record<string, { case: string; [name: string]: unknown }>;
  position?: number;
  /** The positions of the failed records of a list. */
  error?: number[];
  resource?: RecordError[];
  /** The message of PostgreSQL, for callers with full rights. */
  postgres?: string;
  [name: string]: unknown;
}

/** A request as it was sent, without its headers. */
export interface SentRequest {
  path: string;
  method: string;
  params?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
}

export class ApiError extends Error {
  /** `status` is 0 if there was no response. */
  constructor(
    readonly status: number,
    message: string,
    readonly code: number = status,
    readonly context: ErrorContext = {},
    /** Seconds, from the response's `Retry-After`. */
    readonly retryAfter?: number,
    readonly request?: SentRequest,
  ) {
    super(message);
    this.name = "ApiError";
  }

  get reason(): string {
    return this.context.reason ?? "";
  }

  get requestId(): string {
    return this.context.request_id ?? "";
  }

  get isOffline(): boolean {
    return this.status === 0;
  }
}

/** Whether a retry may succeed: no connection, a busy server, a gateway error. */
export function isPassing(error: unknown): error is ApiError {
  return error instanceof ApiError && [0, 502, 503, 504].includes(error.status);
}
