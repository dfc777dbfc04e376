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
  /** The content type to ask for. */
  accept?: string;
  /** Send a GET as POST, because its options are too long for an address. */
  reads?: boolean;
  /** Finish the request when the page is closed meanwhile. */
  keepalive?: boolean;
}

const TIMEOUT_MS = 20_000;

/** Sends a request to `/api/v2/<path>` and returns the parsed response with contact values decrypted. */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const key = method === "GET" ? cacheKey(path, options) : undefined;
  const stored = key === undefined ? undefined : responses.get(key);
  const { response, token } = await send(method, path, options, stored?.tag);
  if (stored && response.status === 304) return stored.body as T;
  const body = await parsed(response);
  if (!response.ok || isRefusal(body)) throw errorOf(response, body);

  const decrypted = await decryptedFor(body, options, token);
  const tag = response.headers.get("ETag");
  if (key !== undefined && tag) store(key, tag, decrypted);
  return decrypted as T;
}

/** Decrypts with the token that the request was sent with, which may have been replaced since. */
async function decryptedFor(body: unknown, options: CallOptions, token: string | undefined): Promise<unknown> {
  if (!options.contacts || !token) return body;
  return openFields(body, token);
}

/** Responses with an ETag: the server answers 304 while they are unchanged. */
const responses = new Map<string, { tag: string; body: unknown }>();
const MAX_RESPONSES = 50;

/** The cache key of a response. It includes the session, so that no other session reads it. */
function cacheKey(path: string, { query, contacts, anonymous }: CallOptions): string {
  const token = anonymous ? "" : (currentSession()?.sessionToken ?? "");
  return [token, contacts ? "decrypted" : "", addressOf(path, query)].join(" ");
}

function store(key: string, tag: string, body: unknown): void {
  const oldest = responses.keys().next().value;
  if (responses.size >= MAX_RESPONSES && oldest !== undefined) responses.delete(oldest);
  responses.delete(key);
  responses.set(key, { tag, body });
}

/** Clears the stored responses at the end of a session. */
export function forgetAnswers(): void {
  responses.clear();
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
async function send(method: string, path: string, options: CallOptions, tag?: string): Promise<Exchange> {
  const session = options.anonymous ? null : currentSession();
  const token = session?.sessionToken;
  const response = await fetchWith(token, method, path, options, tag);
  if (response.status !== 401 || !session) return { response, token };

  await renewalSettled();
  const now = storedSession();
  if (now?.sessionToken === token) return { response, token };
  // A request of one session must not be retried with the session of another user.
  if (!now || now.signinid !== session.signinid) throw new ApiError(401, "", 401, { reason: "session_replaced", scope: "resource" });
  return { response: await fetchWith(now.sessionToken, method, path, options), token: now.sessionToken };
}

async function fetchWith(token: string | undefined, method: string, path: string, options: CallOptions, tag?: string): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const address = addressOf(path, options.query);
  const early = options.body === undefined && !tag ? takeEarly(method, address, token, options.contacts) : undefined;
  try {
    return await (early ?? fetch(address, { method, signal, keepalive: options.keepalive ?? false, ...payload(options, token, tag) }));
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw new ApiError(0, "", 0, { reason: timeout.aborted ? "timeout" : "offline" });
  }
}

function payload({ body, contacts, accept, reads }: CallOptions, token?: string, tag?: string): RequestInit {
  const headers = headersOf({ appkey: config().appkey, token, contacts });
  if (tag) headers["If-None-Match"] = tag;
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
function isRefusal(body: unknown): boolean {
  return typeof body === "object" && body !== null && "error" in body && Boolean(body.error);
}
