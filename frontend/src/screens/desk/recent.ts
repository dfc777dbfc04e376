/** The most recently opened clients in this browser, newest first. Signing out clears them. */
const STORE = "desk.clients";
const MOST = 8;

export interface RecentClient {
  clientid: number;
  name: string;
}

export function recentClients(): RecentClient[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one): one is RecentClient => typeof one?.clientid === "number" && typeof one?.name === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function noteClient(client: RecentClient): void {
  try {
    localStorage.setItem(STORE, JSON.stringify([client, ...recentClients().filter(({ clientid }) => clientid !== client.clientid)].slice(0, MOST)));
  } catch {
    // The storage may be full or blocked; the list is a convenience.
  }
}
