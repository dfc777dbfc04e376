/** A number in readable form once the rules of the countries have loaded; until then unchanged. */
import { useSyncExternalStore } from "react";
import type { PhoneNumber, phoneNumber } from "./phonenumber";

let read: typeof phoneNumber | undefined;
let loading: Promise<void> | undefined;
const known = new Map<string, PhoneNumber>();
const listeners = new Set<() => void>();

/** Loads the rules; the next screen retries after a failure. */
export function loadPhones(): Promise<void> {
  loading ??= import("./phonenumber")
    .then((loaded) => {
      read = loaded.phoneNumber;
      for (const listener of listeners) listener();
    })
    .catch(() => {
      loading = undefined;
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

export function usePhone(value: string): PhoneNumber {
  const isReady = useSyncExternalStore(subscribe, () => read !== undefined);
  if (!isReady || !read) return { text: value, country: "", line: null };
  let found = known.get(value);
  if (!found) known.set(value, (found = read(value)));
  return found;
}
