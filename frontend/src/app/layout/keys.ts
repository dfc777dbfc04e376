/** The keyboard shortcuts, and how to recognize them. */
import type { TextKey } from "../../lib/i18n.dashboard";

const APPLE = /Mac|iP(hone|ad)/.test(navigator.platform);

/** The name of the modifier key on this platform. */
export const MOD_KEY = APPLE ? "⌘" : "Ctrl ";

/** The second key, within a second of `g`. */
export const GO: Readonly<Record<string, { to: string; text: TextKey }>> = {
  d: { to: "/dashboard/main/dashboardmain", text: "menu.dashboard" },
  s: { to: "/dashboard/main/search", text: "menu.search" },
  c: { to: "/dashboard/main/mycontacts", text: "menu.mycontacts" },
  b: { to: "/dashboard/main/bulklookup", text: "menu.bulk" },
  a: { to: "/dashboard/settings/myaccount", text: "menu.settings" },
};

/** Whether the key event targets a field, a dialog or a menu. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  return Boolean(target?.closest("input, textarea, select, [contenteditable], [role=dialog], [role=menu]"));
}

const WITHOUT_TEXT = new Set(["checkbox", "radio", "button", "submit", "file", "range"]);

/** Whether the key event targets a text field, which has its own undo. */
export function isText({ target }: KeyboardEvent): boolean {
  if (target instanceof HTMLInputElement) return !WITHOUT_TEXT.has(target.type) && target.value !== "";
  return target instanceof Element && target.closest("textarea, [contenteditable]") !== null;
}
