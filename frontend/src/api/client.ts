/** One function, `call`, that speaks to the server. It throws ApiError; it shows no toast and moves no page. */
import { currentSession } from "../stores/session";
import { config } from "./config";
import { ApiError, errorOf } from "./errors";

export type Query = Record<string, string | number | boolean | undefined>;

export interface CallOptions {
  query?: Query | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Ask for contact values encrypted for this session, and open them (safe-contract G17). */
  contacts?: boolean;
  /** Call as the app alone, whoever is signed in. */
  anonymous?: boolean;
}

const ROOT = "/api/v2/";
const PATIENCE_MS = 20_000;

/** Sends a request to `/api/v2/<path>` and returns the parsed answer, contact values opened. */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  const body = await parsed(response);
  if (!response.ok || isRefusal(body)) throw errorOf(response, body);

  const token = currentSession()?.sessionToken;
  if (!options.contacts || !token) return body as T;
  const { openFields } = await import("./fieldcrypto");
  return openFields(body, token) as T;
}

/** A file of the server, with its name. */
export async function download(path: string, query?: Query): Promise<Blob> {
  const response = await send("GET", path, { query });
  if (!response.ok) throw errorOf(response, await parsed(response));
  return response.blob();
}

async function send(method: string, path: string, options: CallOptions): Promise<Response> {
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    return await fetch(ROOT + path + search(options.query), { method, signal, ...payload(options) });
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw new ApiError(0, "", 0, { reason: timeout.aborted ? "timeout" : "offline" });
  }
}

function payload({ body, contacts, anonymous }: CallOptions): RequestInit {
  const token = anonymous ? undefined : currentSession()?.sessionToken;
  const headers: Record<string, string> = { "X-API-Key": config().appkey };
  if (token) headers["X-Session-Token"] = token;
  if (contacts && token) headers["X-Field-Encryption"] = "session-v1";
  if (body instanceof FormData) return { headers, body };
  if (body === undefined) return { headers };
  return { headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

function search(query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

async function parsed(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    throw new ApiError(response.status, "", response.status, { reason: "not_json" });
  }
}

/** Sign-in may refuse inside a 200: `error` is then a bare number. */
function isRefusal(body: unknown): boolean {
  return typeof body === "object" && body !== null && "error" in body && Boolean(body.error);
}
