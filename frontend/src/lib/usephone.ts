/** A number in readable form once the rules of the countries have loaded; unchanged where they could not be loaded. */
import { useSyncExternalStore } from "react";
import type { PhoneNumber, phoneNumber } from "./phonenumber";

let read: typeof phoneNumber | undefined;
let loading: Promise<void> | undefined;
let settled = false;
const known = new Map<string, PhoneNumber>();
const listeners = new Set<() => void>();

/** Loads the rules; the next screen retries after a failure. */
export function loadPhones(): Promise<void> {
  loading ??= import("./phonenumber")
    .then((loaded) => {
      read = loaded.phoneNumber;
    })
    .catch(() => {
      loading = undefined;
    })
    .finally(() => {
      settled = true;
      for (const listener of listeners) listener();
    });
  return loading;
}

/** The number in groups, or unchanged if its country is unknown. */
export async function groupedPhone(value: string): Promise<string> {
  await loadPhones();
  return read && value.trim().startsWith("+") ? read(value.replaceAll(" ", "")).text : value;
}

function subscribe(listener: () => void): () => void {
  void loadPhones();
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** `waiting` until the rules are known: digits that are grouped a moment later would jump. */
export function usePhone(value: string): PhoneNumber & { waiting?: boolean } {
  const state = useSyncExternalStore(subscribe, () => (read ? "read" : settled ? "unread" : "waiting"));
  if (!read) return { text: value, country: "", line: null, waiting: state === "waiting" };
  let found = known.get(value);
  if (!found) known.set(value, (found = read(value)));
  return found;
}
