/** The address of the page: `#/<dataset>/<table>?<what is shown>`.

 It follows `#`, so filter values reach neither server logs nor other sites, and the page can be mounted anywhere. */
import { useMemo, useSyncExternalStore } from "react";

export interface Address {
  dataset: string;
  table: string;
  params: URLSearchParams;
}

const CHANGED = "studio:address";

function subscribe(listener: () => void): () => void {
  window.addEventListener("popstate", listener);
  window.addEventListener("hashchange", listener);
  window.addEventListener(CHANGED, listener);
  return () => {
    window.removeEventListener("popstate", listener);
    window.removeEventListener("hashchange", listener);
    window.removeEventListener(CHANGED, listener);
  };
}

const currentHash = (): string => location.hash;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function parseAddress(hash: string): Address {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [dataset = "", table = ""] = path.split("/").map(decoded);
  return { dataset, table, params: new URLSearchParams(query) };
}

export function useAddress(): Address {
  const hash = useSyncExternalStore(subscribe, currentHash);
  return useMemo(() => parseAddress(hash), [hash]);
}

export function hrefOf(dataset: string, table = "", params: URLSearchParams | Record<string, string> = {}): string {
  const query = new URLSearchParams(params).toString();
  const path = [dataset, table].filter(Boolean).map(encodeURIComponent).join("/");
  return `#/${path}${query ? `?${query}` : ""}`;
}

export function go(href: string, { replace = false } = {}): void {
  if (href === location.hash) return;
  if (replace) history.replaceState(history.state, "", href);
  else history.pushState(null, "", href);
  window.dispatchEvent(new Event(CHANGED));
}

/** Changes some parts of the address; an empty value removes the part. */
export function change(changes: Record<string, string | null>, options?: { replace?: boolean }): void {
  const { dataset, table, params } = parseAddress(location.hash);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") params.delete(name);
    else params.set(name, value);
  }
  go(hrefOf(dataset, table, params), options);
}
