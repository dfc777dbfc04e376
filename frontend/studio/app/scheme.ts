/** Light or dark: kept in the cookie `theme`, which theme.js reads before anything is drawn. */

const ATTRIBUTE = "data-mantine-color-scheme";
const YEAR_SECONDS = 31_536_000;

export function switchScheme(): void {
  const root = document.documentElement;
  const scheme = root.getAttribute(ATTRIBUTE) === "dark" ? "light" : "dark";
  root.setAttribute(ATTRIBUTE, scheme);
  document.cookie = `theme=${scheme}; path=/; samesite=lax; max-age=${YEAR_SECONDS}`;
}
