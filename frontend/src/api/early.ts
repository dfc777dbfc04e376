/** Requests of the first screen that are sent by the first script, while the app is still being loaded.

 The client takes the response of a request that was sent early instead of sending it again, once. */
import type { Session } from "../stores/storedsession";
import { type Credentials, type Query, addressOf, headersOf } from "./transport";

const GOOD_MS = 10_000;

interface Early {
  response: Promise<Response>;
  sentAt: number;
}

const early = new Map<string, Early>();

const keyOf = (method: string, address: string, token: string, contacts: boolean) => [method, address, token, contacts].join(" ");

/** Whether to request the account early. Not with a token in the address, which is exchanged for a session first. */
export function asksForAccount(session: Session | null, { pathname, search }: Pick<Location, "pathname" | "search">): session is Session {
  return session !== null && !session.staff && pathname.startsWith("/dashboard") && !new URLSearchParams(search).has("session_token");
}

export interface EarlyRequest {
  method: string;
  path: string;
  query?: Query;
  contacts?: boolean;
}

/** Sends a request that has no body. */
export function sendEarly({ method, path, query, contacts = false }: EarlyRequest, { appkey, token }: Credentials & { token: string }): void {
  const address = addressOf(path, query);
  const response = fetch(address, { method, headers: headersOf({ appkey, token, contacts }) });
  // The caller that takes the response handles a failure.
  response.catch(() => undefined);
  early.set(keyOf(method, address, token, contacts), { response, sentAt: performance.now() });
}

/** The response of the same request that was sent early, unless it was taken before or is too old. */
export function takeEarly(method: string, address: string, token: string | undefined, contacts = false): Promise<Response> | undefined {
  const key = keyOf(method, address, token ?? "", contacts);
  const request = early.get(key);
  early.delete(key);
  return request && performance.now() - request.sentAt < GOOD_MS ? request.response : undefined;
}
