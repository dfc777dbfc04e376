/** Preloads a screen before it is opened: its scripts, and the data of its `handle` (`ScreenHandle`). */
import type { QueryClient } from "@tanstack/react-query";
import { type RouteObject, matchRoutes } from "react-router";
import type { ScreenHandle } from "../lib/screenhandle";
import { router } from "./routes";

type Address = Pick<Location, "pathname" | "search">;

/** Loads what the screen at an address needs. A failure is reported when the screen is opened. */
export async function preload(queries: QueryClient, { pathname, search }: Address): Promise<void> {
  const screens = (matchRoutes(router.routes as RouteObject[], pathname) ?? []).map(async ({ route }) => {
    // The router removes `lazy` after using it.
    const { handle } = typeof route.lazy === "function" ? await route.lazy() : route;
    await (handle as ScreenHandle | undefined)?.preload?.(queries, new URLSearchParams(search));
  });
  await Promise.allSettled(screens);
}

/** Preloads while the pointer or the focus is on a link to another screen. Returns a function that stops it. */
export function preloadOnHover(queries: QueryClient): () => void {
  const onIntent = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    if (link && link.origin === location.origin && link.pathname !== location.pathname) void preload(queries, link);
  };
  document.addEventListener("pointerover", onIntent, { passive: true });
  document.addEventListener("focusin", onIntent);
  return () => {
    document.removeEventListener("pointerover", onIntent);
    document.removeEventListener("focusin", onIntent);
  };
}
