/** The session of this browser. The account itself is server data (api/account.ts). */
import { create } from "zustand";
import { persist } from "zustand/middleware";
import { SESSION_STORE, type Session } from "./storedsession";

export type { Session };

interface State {
  session: Session | null;
  language: string;
  currency: string;
}

const EMPTY: State = { session: null, language: "en", currency: "USD" };

const useStore = create<State>()(persist(() => EMPTY, { name: SESSION_STORE }));

export const useSession = () => useStore((state) => state.session);
export const useIsLoggedIn = () => useStore((state) => state.session !== null);
export const currentSession = () => useStore.getState().session;

/** Whether this tab's last session was ended by its user or by an administrator, not by its age. */
let ended = false;
export const wasEnded = (): boolean => ended;

export function sessionStarted(session: Omit<Session, "signinid">): void {
  ended = false;
  useStore.setState({ session: { ...session, signinid: randomId() } });
}

/** `crypto.randomUUID` exists on https and on localhost only. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join("");
}

const DESK = "desk";

/** Keeps the session of staff in this tab during a support view. */
export function deskLeft(): void {
  sessionStorage.setItem(DESK, JSON.stringify(currentSession()));
}

/** Resumes the kept staff session. Returns false if there is none. */
export function deskResumed(): boolean {
  const kept = sessionStorage.getItem(DESK);
  sessionStorage.removeItem(DESK);
  if (!kept) return false;
  useStore.setState({ session: JSON.parse(kept) as Session });
  return true;
}

/** Reads the session from storage: another tab may have replaced it before its storage event arrives. */
export function storedSession(): Session | null {
  void useStore.persist.rehydrate();
  return currentSession();
}

/** Stores the new token after a change of password or address. */
export function tokenReplaced(sessionToken: string, emailid?: string): void {
  useStore.setState(({ session }) => ({
    session: session && { ...session, sessionToken, emailid: emailid ?? session.emailid },
  }));
}

export function sessionEnded(): void {
  forget(true);
}

/** Drops an expired session; the next sign-in returns to the present address. */
export function sessionExpired(): void {
  forget(false);
}

function forget(onPurpose: boolean): void {
  ended = onPurpose;
  localStorage.clear();
  sessionStorage.clear();
  useStore.setState(EMPTY, true);
}

function changed({ key, newValue }: StorageEvent): void {
  if (key === SESSION_STORE && newValue !== null) void useStore.persist.rehydrate();
  else if (key === SESSION_STORE || key === null) {
    ended = true;
    useStore.setState(EMPTY, true);
  }
}

/** Applies a sign-out or a sign-in of another user to every tab. */
export function followOtherTabs(): () => void {
  window.addEventListener("storage", changed);
  return () => window.removeEventListener("storage", changed);
}
