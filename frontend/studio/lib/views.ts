/** Saved views: the state of a table under a name. They are kept in this browser until removed; a link contains a whole
 view. */
import { useMemo, useSyncExternalStore } from "react";
import { parseAddress } from "./address";

export interface View {
  name: string;
  href: string;
}

const STORE = "studio.views";
const CHANGED = "studio:views";
const MOST = 200;
export const MAX_NAME = 60;

let cached: { text: string; views: View[] } = { text: "", views: [] };

/** The views in the order in which they were saved; the same array until something changes. */
function views(): View[] {
  let text = "[]";
  try {
    text = localStorage.getItem(STORE) ?? "[]";
    if (text === cached.text) return cached.views;
    const stored: unknown = JSON.parse(text);
    cached = { text, views: Array.isArray(stored) ? stored.filter((view): view is View => typeof view?.name === "string" && typeof view?.href === "string" && view.href.startsWith("#/")) : [] };
  } catch {
    cached = { text, views: [] };
  }
  return cached.views;
}

function write(next: View[]): boolean {
  try {
    localStorage.setItem(STORE, JSON.stringify(next.slice(-MOST)));
  } catch {
    return false;
  }
  window.dispatchEvent(new Event(CHANGED));
  return true;
}

const isSame = (one: View, other: View): boolean => one.name === other.name && parseAddress(one.href).table === parseAddress(other.href).table && parseAddress(one.href).dataset === parseAddress(other.href).dataset;

/** Saves a view, replacing one with the same name and table. Returns whether the browser stored it. */
export const saveView = (view: View): boolean => write([...views().filter((other) => !isSame(other, view)), view]);

export const removeView = (view: View): boolean => write(views().filter((other) => !isSame(other, view)));

function subscribe(listener: () => void): () => void {
  window.addEventListener(CHANGED, listener);
  window.addEventListener("storage", listener);
  return () => {
    window.removeEventListener(CHANGED, listener);
    window.removeEventListener("storage", listener);
  };
}

/** The saved views of a database, or of one of its tables. */
export function useViews(dataset: string, table = ""): View[] {
  const all = useSyncExternalStore(subscribe, views);
  return useMemo(
    () =>
      all.filter(({ href }) => {
        const address = parseAddress(href);
        return address.dataset === dataset && (!table || address.table === table);
      }),
    [all, dataset, table],
  );
}
