/** The profiles looked up most recently in this browser. They belong to one user and are cleared with the session. */
import { create } from "zustand";
import { persist } from "zustand/middleware";

export interface Lookup {
  url: string;
  name: string;
  /** Title and company. */
  about: string;
}

interface State {
  appuserid: number;
  lookups: Lookup[];
}

const MOST = 8;
const NONE: Lookup[] = [];

const useStore = create<State>()(persist((): State => ({ appuserid: 0, lookups: [] }), { name: "recent" }));

/** Whether two look-ups are of one person; an address may be written with capital letters. */
const isSame = (one: Lookup, other: Lookup): boolean => one.url.toLowerCase() === other.url.toLowerCase() && one.name === other.name;

/** The look-ups of a user, the newest first. */
export const useRecent = (appuserid: number): Lookup[] => useStore((state) => (state.appuserid === appuserid ? state.lookups : NONE));

export function lookedUp(appuserid: number, lookup: Lookup): void {
  useStore.setState((state) => {
    const others = state.appuserid === appuserid ? state.lookups.filter((one) => !isSame(one, lookup)) : [];
    return { appuserid, lookups: [lookup, ...others].slice(0, MOST) };
  });
}
