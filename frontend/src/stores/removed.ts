/** Contacts that were just removed, with the message that offers Undo. The request is sent once that message is gone. */
import { create } from "zustand";

type Removed = ReadonlyMap<number, number>;

const useStore = create<{ removed: Removed }>(() => ({ removed: new Map() }));

/** Ids of messages by ids of contacts. */
export const useRemoved = () => useStore(({ removed }) => removed);

export function contactRemoved(contactid: number, toastid: number): void {
  useStore.setState(({ removed }) => ({ removed: new Map(removed).set(contactid, toastid) }));
}

/** The contact matches the server's state again. */
export function contactSettled(contactid: number): void {
  useStore.setState(({ removed }) => ({ removed: new Map([...removed].filter(([id]) => id !== contactid)) }));
}
