/** Loads the script of a screen while the pointer or the focus is on a link to it. */
import { type RouteObject, matchRoutes } from "react-router";

/** Listens on the document, and returns what stops it. */
export function prefetchOnHover(routes: () => RouteObject[]): () => void {
  const onIntent = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    if (link && link.origin === location.origin) prefetch(routes(), link.pathname);
  };
  document.addEventListener("pointerover", onIntent, { passive: true });
  document.addEventListener("focusin", onIntent);
  return () => {
    document.removeEventListener("pointerover", onIntent);
    document.removeEventListener("focusin", onIntent);
  };
}

function prefetch(routes: RouteObject[], path: string): void {
  for (const { route } of matchRoutes(routes, path) ?? []) {
    // The router takes `lazy` away once it has used it. A failure is reported when the screen is opened.
    if (typeof route.lazy === "function") void route.lazy().catch(() => undefined);
  }
}
