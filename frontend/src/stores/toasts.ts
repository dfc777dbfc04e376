/** Messages that disappear by themselves: `toast("Saved")`. */
import { create } from "zustand";

export type Tone = "good" | "bad" | "plain";

export interface Toast {
  id: number;
  text: string;
  tone: Tone;
}

const SHOWN_MS = 3000;
const MAX_TOASTS = 3;

const useStore = create<{ toasts: Toast[] }>(() => ({ toasts: [] }));
let last = 0;

export const useToasts = () => useStore((state) => state.toasts);

/** Shows a message for three seconds, in place of one with the same text. `limit` 1 removes all others. */
export function toast(text: string, tone: Tone = "good", limit = MAX_TOASTS): void {
  const id = ++last;
  useStore.setState(({ toasts }) => ({
    toasts: [...toasts.filter((shown) => shown.text !== text), { id, text, tone }].slice(-limit),
  }));
  setTimeout(() => toastClosed(id), SHOWN_MS);
}

export function toastClosed(id: number): void {
  useStore.setState(({ toasts }) => ({ toasts: toasts.filter((shown) => shown.id !== id) }));
}
