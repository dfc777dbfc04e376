/** Opens the popup of a sign-in provider. Separate from popup.ts, which the sign-in screen loads later. */

const SIZE = "popup,width=450,height=730";

/** Opens an empty window at once: browsers allow this only within a click. Its address is set later. */
export function openPopup(): Window | null {
  return window.open("", "_blank", SIZE);
}
