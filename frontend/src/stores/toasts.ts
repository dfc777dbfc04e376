/** Short notes that go by themselves. `toast("Saved")` from anywhere above the api. */
import { create } from "zustand";

export type Tone = "good" | "bad" | "plain";

export interface Toast {
  id: number;
  text: string;
  tone: Tone;
}

const SHOWN_MS = 3000;
const MOST = 3;

const useStore = create<{ toasts: Toast[] }>(() => ({ toasts: [] }));
let last = 0;

export const useToasts = () => useStore((state) => state.toasts);

/** Shows a note for three seconds. The same text again replaces the one that is shown. `limit` 1 leaves only this one. */
export function toast(text: string, tone: Tone = "good", limit = MOST): void {
  const id = ++last;
  useStore.setState(({ toasts }) => ({
    toasts: [...toasts.filter((one) => one.text !== text), { id, text, tone }].slice(-limit),
  }));
  setTimeout(() => toastClosed(id), SHOWN_MS);
}

export function toastClosed(id: number): void {
  useStore.setState(({ toasts }) => ({ toasts: toasts.filter((one) => one.id !== id) }));
}
