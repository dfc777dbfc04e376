/** The credentials of requests: entered here, or the session of an app on the same origin, or none. */
import { useSyncExternalStore } from "react";
import { forgetImages } from "../lib/images";

export interface Credentials {
  key: string;
  session: string;
}

const STORE = "studio.credentials";
/** Where an app of the project keeps its session: `{state: {session: {apiKey, sessionToken}}}`. */
const APP_STORE = "session";
const NONE: Credentials = { key: "", session: "" };
const listeners = new Set<() => void>();

let credentials = read();

function parsed(store: Storage, name: string): unknown {
  try {
    return JSON.parse(store.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

function read(): Credentials {
  const own = parsed(sessionStorage, STORE) as Partial<Credentials> | null;
  if (own && typeof own.key === "string") return { key: own.key, session: String(own.session ?? "") };
  const app = parsed(localStorage, APP_STORE) as { state?: { session?: { apiKey?: string; sessionToken?: string } | null } } | null;
  const session = app?.state?.session;
  return session?.apiKey && session.sessionToken ? { key: session.apiKey, session: session.sessionToken } : NONE;
}

export const currentCredentials = (): Credentials => credentials;

function set(next: Credentials): void {
  credentials = next;
  for (const listener of listeners) listener();
}

/** Stored for this tab only. */
export function signIn(next: Credentials): void {
  sessionStorage.setItem(STORE, JSON.stringify(next));
  set(next);
}

/** Deletes the entered credentials. An app's session stays, but this tab no longer uses it. */
export function signOut(): void {
  sessionStorage.setItem(STORE, JSON.stringify(NONE));
  localStorage.removeItem("studio.history");
  forgetImages();
  set(NONE);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useCredentials = (): Credentials => useSyncExternalStore(subscribe, currentCredentials);
