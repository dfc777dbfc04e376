/** Mantine's store for the color scheme. */
import type { MantineColorSchemeManager } from "@mantine/core";
import { keepScheme, keptScheme } from "../../shared/scheme";

export const schemeManager: MantineColorSchemeManager = {
  get: (fallback) => keptScheme() ?? fallback,
  set: (scheme) => keepScheme(scheme === "auto" ? undefined : scheme),
  clear: () => keepScheme(),
  subscribe: () => undefined,
  unsubscribe: () => undefined,
};
