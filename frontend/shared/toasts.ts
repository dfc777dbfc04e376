/** Messages that disappear by themselves: `toast("Saved")`, `toastWithUndo` for a change that can be undone, and
 `toastWithAction` for a next step. */
import { create } from "zustand";

export type Tone = "good" | "bad" | "plain";

export interface Toast {
  id: number;
  text: string;
  tone: Tone;
  undoable?: boolean;
  /** The button of a next step, in place of Undo. */
  action?: string;
}

export interface Undoable {
  /** Undoes the change. */
  undo: () => void;
  /** Runs once the message is gone and the change is final; sends writes that cannot be undone. */
  settled?: () => unknown;
}

const SHOWN_MS = 3000;
/** Long enough to read a message, find its button and press it. */
const UNDO_MS = 8000;
const MAX_TOASTS = 3;

const useStore = create<{ toasts: Toast[] }>(() => ({ toasts: [] }));
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const undoables = new Map<number, Undoable>();
let last = 0;

export const useToasts = () => useStore((state) => state.toasts);

/** Shows a message for three seconds, replacing one with the same text. `limit` 1 removes all others. */
export function toast(text: string, tone: Tone = "good", limit = MAX_TOASTS): void {
  show({ id: ++last, text, tone }, limit);
}

/** Shows a message with an Undo button, and returns its id. */
export function toastWithUndo(text: string, undoable: Undoable, limit = MAX_TOASTS): number {
  const id = ++last;
  undoables.set(id, undoable);
  show({ id, text, tone: "good", undoable: true }, limit);
  return id;
}

/** Shows a message with a button for the next step, such as opening what was created. */
export function toastWithAction(text: string, action: string, act: () => void, tone: Tone = "good"): void {
  const id = ++last;
  undoables.set(id, { undo: act });
  show({ id, text, tone, undoable: true, action }, MAX_TOASTS);
}

function show(shown: Toast, limit: number): void {
  replace((toasts) => [...toasts.filter(({ text }) => text !== shown.text), shown].slice(-limit));
  hideLater(shown);
}

function hideLater({ id, undoable }: Toast): void {
  timers.set(id, setTimeout(() => toastClosed(id), undoable ? UNDO_MS : SHOWN_MS));
}

/** Keeps a message with Undo while it is pointed at or has the focus. */
export function toastHeld(id: number, held: boolean): void {
  const shown = useStore.getState().toasts.find((one) => one.id === id);
  if (!shown?.undoable) return;
  clearTimeout(timers.get(id));
  if (!held) hideLater(shown);
}

export function toastClosed(id: number): void {
  replace((toasts) => toasts.filter((shown) => shown.id !== id));
}

/** Undoes the change of a message and closes it. */
export function toastUndone(id: number): void {
  const undoable = undoables.get(id);
  undoables.delete(id);
  toastClosed(id);
  undoable?.undo();
}

/** Undoes the latest change that can still be undone. Returns false if there is none. */
export function undoLast(): boolean {
  const id = useStore.getState().toasts.findLast(({ undoable, action }) => undoable && !action)?.id;
  if (id !== undefined) toastUndone(id);
  return id !== undefined;
}

/** Settles every change at once, before the session or the page ends. */
export async function settleToasts(): Promise<void> {
  await Promise.all(replace((toasts) => toasts.filter(({ undoable }) => !undoable)));
}

/** Replaces the messages, and settles the changes of those that are gone. */
function replace(next: (toasts: Toast[]) => Toast[]): unknown[] {
  const before = useStore.getState().toasts;
  const after = next(before);
  useStore.setState({ toasts: after });
  return before.filter((shown) => !after.includes(shown)).map(({ id }) => settle(id));
}

function settle(id: number): unknown {
  clearTimeout(timers.get(id));
  timers.delete(id);
  const undoable = undoables.get(id);
  undoables.delete(id);
  return undoable?.settled?.();
}
