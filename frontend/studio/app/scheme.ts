/** Switches between light and dark. */
import { keepScheme } from "../../shared/scheme";

const ATTRIBUTE = "data-mantine-color-scheme";

export function switchScheme(): void {
  const root = document.documentElement;
  const scheme = root.getAttribute(ATTRIBUTE) === "dark" ? "light" : "dark";
  root.setAttribute(ATTRIBUTE, scheme);
  keepScheme(scheme);
}
