/** The user's preferences in this browser, such as the language. They outlive a sign-out, which clears the local
 storage. */

const YEAR_SECONDS = 31_536_000;

/** The chosen value, or undefined when nothing was chosen. */
export function preference(name: string): string | undefined {
  const prefix = `${name}=`;
  const pair = document.cookie.split("; ").find((text) => text.startsWith(prefix));
  if (pair === undefined) return undefined;
  try {
    return decodeURIComponent(pair.slice(prefix.length));
  } catch {
    return undefined;
  }
}

/** Stores a choice for a year; null removes it. */
export function setPreference(name: string, value: string | null): void {
  const text = encodeURIComponent(value ?? "");
  document.cookie = `${name}=${text}; path=/; max-age=${value === null ? 0 : YEAR_SECONDS}; samesite=lax`;
}
