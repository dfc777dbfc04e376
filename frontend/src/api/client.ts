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
  const place = method === "GET" ? placeOf(path, options) : undefined;
  const known = place === undefined ? undefined : kept.get(place);
  const response = await send(method, path, options, known?.tag);
  if (known && response.status === 304) return known.body as T;
  const body = await parsed(response);
  if (!response.ok || isRefusal(body)) throw errorOf(response, body);

  const opened = await openedFor(body, options);
  const tag = response.headers.get("ETag");
  if (place !== undefined && tag) keep(place, tag, opened);
  return opened as T;
}

async function openedFor(body: unknown, options: CallOptions): Promise<unknown> {
  const token = currentSession()?.sessionToken;
  if (!options.contacts || !token) return body;
  const { openFields } = await import("./fieldcrypto");
  return openFields(body, token);
}

/** The last answers with a version: the server says 304 to a question whose answer did not change. */
const kept = new Map<string, { tag: string; body: unknown }>();
const MOST_KEPT = 50;

/** Where an answer is kept: never for another session, and gone with the page. */
function placeOf(path: string, { query, contacts, anonymous }: CallOptions): string {
  const token = anonymous ? "" : (currentSession()?.sessionToken ?? "");
  return [token, contacts ? "opened" : "", path + search(query)].join(" ");
}

function keep(place: string, tag: string, body: unknown): void {
  const oldest = kept.keys().next().value;
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.delete(place);
  kept.set(place, { tag, body });
}

/** Forget every kept answer: whoever was signed in is not any more. */
export function forgetAnswers(): void {
  kept.clear();
}

/** A file of the server, with its name. */
export async function download(path: string, query?: Query): Promise<Blob> {
  const response = await send("GET", path, { query });
  if (!response.ok) throw errorOf(response, await parsed(response));
  return response.blob();
}

async function send(method: string, path: string, options: CallOptions, tag?: string): Promise<Response> {
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    return await fetch(ROOT + path + search(options.query), { method, signal, ...payload(options, tag) });
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw new ApiError(0, "", 0, { reason: timeout.aborted ? "timeout" : "offline" });
  }
}

function payload({ body, contacts, anonymous }: CallOptions, tag?: string): RequestInit {
  const token = anonymous ? undefined : currentSession()?.sessionToken;
  const headers: Record<string, string> = { "X-API-Key": config().appkey };
  if (token) headers["X-Session-Token"] = token;
  if (contacts && token) headers["X-Field-Encryption"] = "session-v1";
  if (tag) headers["If-None-Match"] = tag;
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
