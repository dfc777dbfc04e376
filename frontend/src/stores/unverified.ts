/** The user that has to open the mailed link before signing in. Lives as long as the tab. */
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

export interface Unverified {
  appuserid: number;
  name: string;
  email: string;
  /** Proof of having known the password, for the two calls that this person may make. */
  checktoken?: string;
}

interface State {
  person: Unverified | null;
}

const useStore = create<State>()(
  persist((): State => ({ person: null }), { name: "unverified", storage: createJSONStorage(() => sessionStorage) }),
);

export const useUnverified = () => useStore((state) => state.person);

export function unverifiedMet({ appuserid, name, email, checktoken }: Unverified): void {
  useStore.setState({ person: { appuserid, name, email, ...(checktoken && { checktoken }) } });
}

export function unverifiedLeft(): void {
  useStore.setState({ person: null });
}
