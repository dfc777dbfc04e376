/** The screen of an address. The pages of the settings count as one screen, so that their menu does not fade. */
export const screenOf = (pathname: string): string => (pathname.startsWith("/dashboard/settings") ? "settings" : pathname);
