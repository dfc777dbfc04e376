/** The window of a provider. Alone here, because the sign-in screen needs nothing else of popup.ts at its start. */

const SIZE = "popup,width=450,height=730";

/** Opens the window at once, since a browser allows that only within a click; its address may come later. */
export function openPopup(): Window | null {
  return window.open("", "_blank", SIZE);
}
