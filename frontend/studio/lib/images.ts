/** Image URLs in values, and the columns that may load images from other hosts.

 Loading an image tells its host that this record is being viewed. Images from other hosts are therefore loaded only
 in columns for which this browser allows it; the page's address does not carry that choice to other people. */
import { useSyncExternalStore } from "react";
import type { Json } from "../api/types";
import { linkOf } from "./format";

const STORE = "studio.images";
const EXTENSION = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;
const INSIDE = /^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+$/;
const NONE: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

export interface Image {
  source: string;
  /** The host that would receive the request; null for this server or if there would be no request. */
  host: string | null;
}

/** The image that a value contains or links to, judged by its file extension; null for everything else. */
export function imageOf(value: Json | undefined, origin: string): Image | null {
  if (typeof value !== "string") return null;
  if (INSIDE.test(value)) return { source: value, host: null };
  const link = linkOf(value);
  if (!link) return null;
  const url = new URL(link);
  if (!EXTENSION.test(url.pathname)) return null;
  return { source: link, host: url.origin === origin ? null : url.host };
}

let shownColumns = read();

function read(): ReadonlySet<string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    return Array.isArray(kept) ? new Set(kept.filter((name) => typeof name === "string")) : NONE;
  } catch {
    return NONE;
  }
}

export const imageColumn = (dataset: string, table: string, column: string): string => [dataset, table, column].map(encodeURIComponent).join("/");

export function switchImages(column: string): void {
  const next = new Set(shownColumns);
  if (!next.delete(column)) next.add(column);
  shownColumns = next;
  localStorage.setItem(STORE, JSON.stringify([...next]));
  for (const listener of listeners) listener();
}

export function forgetImages(): void {
  localStorage.removeItem(STORE);
  shownColumns = NONE;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The columns with loaded images. */
export const useImageColumns = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => shownColumns);
