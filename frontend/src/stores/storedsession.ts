/** The session stored in this browser. Imports nothing, so that the first script of the page can read it. */

export const SESSION_STORE = "session";

export interface Session {
  apiKey: string;
  sessionToken: string;
  emailid: string;
  /** One sign-in: the same for every token that replaces the first one. */
  signinid: string;
  /** Whether it is a staff session, which uses the desk and no other screens. */
  staff?: boolean;
}

/** Reads the stored session; null if there is none or it is unreadable. */
export function readStoredSession(): Session | null {
  try {
    const stored = JSON.parse(localStorage.getItem(SESSION_STORE) ?? "null") as { state?: { session?: Session | null } } | null;
    return stored?.state?.session ?? null;
  } catch {
    return null;
  }
}
