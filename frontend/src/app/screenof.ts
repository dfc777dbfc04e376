/** The screen of an address. The pages of the settings are one screen: its menu does not fade. */
export const screenOf = (pathname: string): string => (pathname.startsWith("/dashboard/settings") ? "settings" : pathname);
