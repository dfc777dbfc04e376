/** Keep the chosen colour scheme in the cookie `theme`.

 A cookie, because signing out clears the local storage and because theme.js reads it before the first frame. */
import type { MantineColorScheme, MantineColorSchemeManager } from "@mantine/core";

const YEAR_SECONDS = 31_536_000;

function write(scheme: MantineColorScheme | null): void {
  const value = scheme === "light" || scheme === "dark" ? scheme : "";
  document.cookie = `theme=${value}; path=/; samesite=lax; max-age=${value ? YEAR_SECONDS : 0}`;
}

export const schemeManager: MantineColorSchemeManager = {
  get: (fallback) => (/(?:^|; )theme=(light|dark)/.exec(document.cookie)?.[1] as MantineColorScheme | undefined) ?? fallback,
  set: write,
  clear: () => write(null),
  subscribe: () => undefined,
  unsubscribe: () => undefined,
};
