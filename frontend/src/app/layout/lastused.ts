/** The most recently used commands of the palette, newest first. Signing out clears them. */
const STORE = "palette";
const MOST = 4;

export function lastUsed(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** Records a command by its id; contacts, teammates and pages are not recorded. */
export function noteUsed(id: string): void {
  const own = id.replace(/^last-/, "");
  if (/^(contact|member|page)-|^lookup$/.test(own)) return;
  try {
    localStorage.setItem(STORE, JSON.stringify([own, ...lastUsed().filter((other) => other !== own)].slice(0, MOST)));
  } catch {
    // The storage may be full or blocked; the palette then begins with actions.
  }
}
