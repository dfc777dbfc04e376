/** Keeps the focus inside a group when a click disables the clicked control, such as the arrow at the last page.
 Takes the group and the element to focus instead. */
import { type RefObject, useLayoutEffect } from "react";

export function useKeptFocus(group: RefObject<HTMLElement | null>, selector: string): void {
  // After every change and before the browser paints, which is when it blurs disabled elements.
  useLayoutEffect(() => {
    const now = document.activeElement;
    if (now?.matches(":disabled") && group.current?.contains(now)) group.current.querySelector<HTMLElement>(selector)?.focus();
  });
}
