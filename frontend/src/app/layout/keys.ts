/** Shortcuts of the keyboard: which there are, and whether a press is one. */
import type { TextKey } from "../../lib/i18n.dashboard";

const APPLE = /Mac|iP(hone|ad)/.test(navigator.platform);

/** How the key of ⌘K is written here. */
export const MOD_KEY = APPLE ? "⌘" : "Ctrl ";

/** After `g`, each within a second. */
export const GO: Readonly<Record<string, { to: string; text: TextKey }>> = {
  d: { to: "/dashboard/main/dashboardmain", text: "menu.dashboard" },
  s: { to: "/dashboard/main/search", text: "menu.search" },
  c: { to: "/dashboard/main/mycontacts", text: "menu.mycontacts" },
  b: { to: "/dashboard/main/bulklookup", text: "bulk.title" },
  a: { to: "/dashboard/settings/myaccount", text: "menu.settings" },
};

/** Whether a press belongs to a field, a dialog or a menu. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  return Boolean(target?.closest("input, textarea, select, [contenteditable], [role=dialog], [role=menu]"));
}

const WITHOUT_TEXT = new Set(["checkbox", "radio", "button", "submit", "file", "range"]);

/** Whether a press belongs to a text that has an undo of its own. */
export function isText({ target }: KeyboardEvent): boolean {
  if (target instanceof HTMLInputElement) return !WITHOUT_TEXT.has(target.type) && target.value !== "";
  return target instanceof Element && target.closest("textarea, [contenteditable]") !== null;
}
