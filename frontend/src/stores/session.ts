/** Who is signed in on this browser, and nothing about them: the account itself is server data (api/account.ts). */
import { create } from "zustand";
import { persist } from "zustand/middleware";

export interface Session {
  apiKey: string;
  sessionToken: string;
  emailid: string;
}

interface State {
  session: Session | null;
  language: string;
  currency: string;
}

const EMPTY: State = { session: null, language: "en", currency: "USD" };
const STORE = "session";

const useStore = create<State>()(persist(() => EMPTY, { name: STORE }));

export const useSession = () => useStore((state) => state.session);
export const useIsLoggedIn = () => useStore((state) => state.session !== null);
export const currentSession = () => useStore.getState().session;

export function sessionStarted(session: Session): void {
  useStore.setState({ session });
}

/** The server gave a new token for the same person: a changed password or address. */
export function tokenReplaced(sessionToken: string, emailid?: string): void {
  useStore.setState(({ session }) => ({
    session: session && { ...session, sessionToken, emailid: emailid ?? session.emailid },
  }));
}

export function sessionEnded(): void {
  localStorage.clear();
  sessionStorage.clear();
  useStore.setState(EMPTY, true);
}

function changed({ key, newValue }: StorageEvent): void {
  if (key === STORE && newValue !== null) void useStore.persist.rehydrate();
  else if (key === STORE || key === null) useStore.setState(EMPTY, true);
}

/** Signing out, or in as somebody else, in one tab does so in every tab. */
export function followOtherTabs(): () => void {
  window.addEventListener("storage", changed);
  return () => window.removeEventListener("storage", changed);
}
