/** Keeps the focus inside a group when a press disables the very control that was pressed: the arrow at the last page.
 In: the group, and what in it is to have the focus then. */
import { type RefObject, useLayoutEffect } from "react";

export function useKeptFocus(group: RefObject<HTMLElement | null>, selector: string): void {
  // At every change, before the browser draws: only then does it take the focus from what is disabled.
  useLayoutEffect(() => {
    const now = document.activeElement;
    if (now?.matches(":disabled") && group.current?.contains(now)) group.current.querySelector<HTMLElement>(selector)?.focus();
  });
}
