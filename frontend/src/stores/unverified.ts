/** The user that has to confirm the address before signing in. Kept per tab. */
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

export interface Unverified {
  appuserid: number;
  name: string;
  email: string;
  /** Proof that the password was entered, for the two calls that this user may make. */
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
