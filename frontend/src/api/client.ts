/** The HTTP client. `call` throws ApiError; it shows no message and does not navigate. */
import { currentSession, storedSession } from "../stores/session";
import { config } from "./config";
import { ApiError, errorOf } from "./errors";
import { takeEarly } from "./early";
import { openFields } from "./fieldcrypto";
import { renewalSettled } from "./renewal";
import { type Query, addressOf, headersOf } from "./transport";

export type { Query };

export interface CallOptions {
  query?: Query | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Request contact values encrypted for this session, and decrypt them. */
  contacts?: boolean;
  /** Send the request without a session. */
  anonymous?: boolean;
  /** The requested content type. */
  accept?: string;
  /** Send a GET as POST, because its options are too long for an address. */
  reads?: boolean;
  /** Finish the request even if the page is closed. */
  keepalive?: boolean;
}

const TIMEOUT_MS = 20_000;

/** Sends a request to `/api/v2/<path>` and returns the parsed response with contact values decrypted. */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const { response, token } = await send(method, path, options);
  const body = await parsed(response);
  if (!response.ok || isError(body)) throw errorOf(response, body);
  return (await decryptedFor(body, options, token)) as T;
}

/** Decrypts with the token that the request was sent with, which may have been replaced since. */
async function decryptedFor(body: unknown, options: CallOptions, token: string | undefined): Promise<unknown> {
  if (!options.contacts || !token) return body;
  return openFields(body, token);
}

/** Downloads a file. A body carries the options of a GET that are too long for an address. */
export async function download(path: string, options: CallOptions = {}): Promise<Blob> {
  const { response } = await send(options.body === undefined ? "GET" : "POST", path, { ...options, reads: true });
  if (!response.ok) throw errorOf(response, await parsed(response));
  return response.blob();
}

interface Exchange {
  response: Response;
  /** The token that the request was sent with. */
  token: string | undefined;
}

/** Sends with the session's token. A 401 for a token that was replaced meanwhile is retried once with the new one. */
async function send(method: string, path: string, options: CallOptions): Promise<Exchange> {
  const session = options.anonymous ? null : currentSession();
  const token = session?.sessionToken;
  const response = await fetchWith(token, method, path, options);
  if (response.status !== 401 || !session) return { response, token };

  await renewalSettled();
  const now = storedSession();
  if (now?.sessionToken === token) return { response, token };
  // A request of one session must not be retried with the session of another user.
  if (!now || now.signinid !== session.signinid) throw new ApiError(401, "", 401, { reason: "session_replaced", scope: "resource" });
  return { response: await fetchWith(now.sessionToken, method, path, options), token: now.sessionToken };
}

async function fetchWith(token: string | undefined, method: string, path: string, options: CallOptions): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const address = addressOf(path, options.query);
  const early = options.body === undefined ? takeEarly(method, address, token, options.contacts) : undefined;
  try {
    return await (early ?? fetch(address, { method, signal, keepalive: options.keepalive ?? false, ...payload(options, token) }));
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw new ApiError(0, "", 0, { reason: timeout.aborted ? "timeout" : "offline" });
  }
}

function payload({ body, contacts, accept, reads }: CallOptions, token?: string): RequestInit {
  const headers = headersOf({ appkey: config().appkey, token, contacts });
  if (accept) headers["Accept"] = accept;
  if (reads && body !== undefined) headers["X-HTTP-Method"] = "GET";
  if (body instanceof FormData) return { headers, body };
  if (body === undefined) return { headers };
  return { headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

async function parsed(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    throw new ApiError(response.status, "", response.status, { reason: "not_json" });
  }
}

/** Sign-in may fail with a 200: `error` is then a bare number. */
function isError(body: unknown): boolean {
  return typeof body === "object" && body !== null && "error" in body && Boolean(body.error);
}
