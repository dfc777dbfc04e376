/** The changes that can be undone in this tab, latest first. */
import { T } from "../texts";
import { tell } from "../toasts";

type Undo = () => Promise<void>;

const MOST = 50;
let steps: readonly Undo[] = [];

/** Reports a change, and keeps its undo for the message's button and Ctrl-Z. */
export function tellDone(text: string, undo: Undo): void {
  steps = [...steps, undo].slice(-MOST);
  tell(text, { undo: () => void take(undo) });
}

async function take(undo: Undo): Promise<void> {
  steps = steps.filter((step) => step !== undo);
  try {
    await undo();
    tell(T.undone);
  } catch (error) {
    tell(T.notUndone + (error as Error).message, { isError: true });
  }
}

export function undoLast(): void {
  const last = steps.at(-1);
  if (last) void take(last);
  else tell(T.nothingToUndo);
}

export function forgetUndo(): void {
  steps = [];
}
