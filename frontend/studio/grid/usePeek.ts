/** Decides when the card of a record appears and disappears. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { Peeked } from "./Peek";

// Delays: a passing pointer opens nothing, and moving towards the card does not close it.
const PEEK_MS = 450;
const LEAVE_MS = 200;

/** Shows the record that a cell refers to once the pointer rests on it. */
export function usePeek() {
  const [peeked, setPeeked] = useState<Peeked | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const later = useCallback((next: Peeked | null, after: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setPeeked(next), after);
  }, []);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    peeked,
    setPeeked: (next: Peeked | null) => {
      clearTimeout(timer.current);
      setPeeked(next);
    },
    rest: (next: Peeked) => later(next, PEEK_MS),
    leave: () => later(null, LEAVE_MS),
    keep: () => clearTimeout(timer.current),
  };
}
