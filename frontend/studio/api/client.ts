/** Sends requests to the API on the same server. Errors are thrown as `ApiError`; nothing is shown here. */
import { ApiError, type ErrorContext, type SentRequest } from "../../shared/apierror";
import { readJson, writeJson } from "./json";
import { currentCredentials } from "./credentials";

const PAGE = "/studio";
/** The path below which the engine is mounted: "" unless a host program mounts it elsewhere. */
export const MOUNT = location.pathname.slice(0, Math.max(0, location.pathname.lastIndexOf(PAGE)));
export const API = `${MOUNT}/api/v2/`;

export { ApiError, type SentRequest };

export type Params = NonNullable<SentRequest["params"]>;

export interface Options {
  method?: string;
  params?: Params;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface Answer<T> {
  data: T;
  etag: string | null;
}

export function queryOf(params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.toString().replaceAll("+", "%20");
}

export function credentialHeaders(): Record<string, string> {
  const { key, session } = currentCredentials();
  return { ...(key ? { "X-API-Key": key } : {}), ...(session ? { "X-Session-Token": session } : {}) };
}

/** Sends a request and returns its response unread. Throws ApiError if it fails. */
export async function send(path: string, { method = "GET", params, body, headers, signal }: Options = {}): Promise<Response> {
  const query = queryOf(params);
  const init: RequestInit = { method, headers: { ...credentialHeaders(), ...headers }, cache: "no-store", signal };
  if (body !== undefined) {
    init.body = writeJson(body);
    init.headers = { ...init.headers, "Content-Type": "application/json" };
  }
  let response: Response;
  try {
    response = await fetch(API + path + (query ? `?${query}` : ""), init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "The server cannot be reached.");
  }
  if (!response.ok) throw await apiError(response, { path, method, params, body });
  return response;
}

async function apiError(response: Response, request: SentRequest): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as { error: { message: string; context?: ErrorContext | null } };
    return new ApiError(response.status, error.message, response.status, error.context ?? {}, undefined, request);
  } catch {
    return new ApiError(response.status, `The server answered with status ${response.status}.`);
  }
}

export async function ask<T>(path: string, options: Options = {}): Promise<Answer<T>> {
  const [table = "", ids] = path.split(IDS);
  if (ids === undefined) {
    const response = await send(path, options);
    return { data: readJson(await response.text()) as T, etag: response.headers.get("ETag") };
  }
  const response = await send(table, {
    ...options,
    params: { ...options.params, ids },
    body: options.body === undefined ? undefined : { resource: [options.body] },
  });
  const read = readJson(await response.text()) as T & { resource?: [T] };
  return { data: read.resource ? read.resource[0] : read, etag: null };
}

export const segment = encodeURIComponent;
export const tablePath = (dataset: string, table: string): string => `${segment(dataset)}/_table/${segment(table)}`;

const ONE_QUOTED = /^'((?:[^']|'')*)'$/;
const IDS = "?ids=";

/** The path of a record. A path cannot contain an empty segment, `.` and `..`; `ask` names such a record by `ids`. */
export function recordPath(dataset: string, table: string, id: string): string {
  const text = ONE_QUOTED.exec(id)?.[1]?.replaceAll("''", "'");
  if (text === undefined) return `${tablePath(dataset, table)}/${id.split(",").map(segment).join(",")}`;
  return /^\.{0,2}$/.test(text) ? tablePath(dataset, table) + IDS + id : `${tablePath(dataset, table)}/${segment(text)}`;
}
