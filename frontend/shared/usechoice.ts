/** The choice in a list below a text field: arrow keys move it, in a circle, and Enter takes it. `idOf` names elements. */
import { type KeyboardEvent, useState } from "react";

export function useChoice<Item>(items: readonly Item[], idOf: (index: number) => string, onChoose: (item: Item) => void) {
  const [at, setAt] = useState(0);
  const index = Math.max(0, Math.min(at, items.length - 1));
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    const next = step ? (index + step + items.length) % items.length : index;
    const item = items[next];
    if (item === undefined) return;
    if (!step) return onChoose(item);
    setAt(next);
    document.getElementById(idOf(next))?.scrollIntoView({ block: "nearest" });
  };
  return { index, setAt, onKeyDown };
}
