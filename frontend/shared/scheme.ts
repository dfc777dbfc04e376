/** The chosen color scheme: kept in the cookie `theme`, which theme.js reads before the first frame.

 A cookie, because signing out clears the local storage. */
export type Scheme = "light" | "dark";

const YEAR_SECONDS = 31_536_000;

export function keptScheme(): Scheme | undefined {
  return /(?:^|; )theme=(light|dark)/.exec(document.cookie)?.[1] as Scheme | undefined;
}

/** Stores a choice; `undefined` follows the system again. */
export function keepScheme(scheme?: Scheme): void {
  document.cookie = `theme=${scheme ?? ""}; path=/; samesite=lax; max-age=${scheme ? YEAR_SECONDS : 0}`;
}
