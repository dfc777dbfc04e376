/** The changes that can be undone in this tab, latest first. */
import { toast, toastWithUndo } from "../../shared/toasts";
import { T } from "../texts";

type Undo = () => Promise<void>;

const MAX_STEPS = 50;
let steps: readonly Undo[] = [];

/** Reports a change, and keeps its undo for the message's button and Ctrl-Z. */
export function doneWithUndo(text: string, undo: Undo): void {
  steps = [...steps, undo].slice(-MAX_STEPS);
  toastWithUndo(text, { undo: () => void take(undo) }, 1); // the button belongs to the last change
}

async function take(undo: Undo): Promise<void> {
  steps = steps.filter((step) => step !== undo);
  try {
    await undo();
    toast(T.undone, "good", 1);
  } catch (error) {
    toast(T.notUndone + (error as Error).message, "bad");
  }
}

export function undoLast(): void {
  const last = steps.at(-1);
  if (last) void take(last);
  else toast(T.nothingToUndo, "plain");
}

export function forgetUndo(): void {
  steps = [];
}
