/** The history of requests in this browser, stored only there and cleared on sign-out. */

export interface Asked {
  href: string;
  at: number;
  milliseconds: number;
}

const STORE = "studio.history";
const MOST = 100;

export function history(): Asked[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    return Array.isArray(stored) ? stored.filter((asked): asked is Asked => typeof asked?.href === "string" && asked.href.startsWith("#/")) : [];
  } catch {
    return [];
  }
}

/** The view that an address describes, as request options. */
export const said = (params: URLSearchParams): string =>
  ["filter", "search", "order", "group", "view"].map((name) => params.get(name)).filter(Boolean).join(" · ");

/** Adds an address, or moves it to the top. */
export function remember(href: string, milliseconds: number): void {
  const others = history().filter((asked) => asked.href !== href);
  const next = [{ href, at: Date.now(), milliseconds: Math.round(milliseconds) }, ...others].slice(0, MOST);
  try {
    localStorage.setItem(STORE, JSON.stringify(next));
  } catch {
    // Storage is full or blocked; the history is only a convenience.
  }
}

export const forget = (): void => localStorage.removeItem(STORE);
