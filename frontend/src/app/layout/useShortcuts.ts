/** Listens for the keys of the app: those of its frame, ⌘Z (Ctrl on other systems), `g` with a letter, and pasted profile
 addresses. */
import { useEffect } from "react";
import { useNavigate } from "react-router";
import { undoLast } from "../../../shared/toasts";
import { profileHost } from "../../api/config";
import { useAsk } from "../../api/ask";
import { readAsk } from "../../domain/ask";
import { GO, isText, isTyping } from "./keys";
import { useFrameKeys } from "./useFrameKeys";

const PAUSE_MS = 1000;

export function useShortcuts(onPalette: () => void, onShortcuts: () => void): void {
  const navigate = useNavigate();
  const ask = useAsk();
  useFrameKeys(onPalette, onShortcuts);
  useEffect(() => {
    let goUntil = 0;
    const press = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      if (key === "z" && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && !isText(event)) {
        if (undoLast()) event.preventDefault();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
      const place = event.timeStamp < goUntil ? GO[key] : undefined;
      goUntil = key === "g" ? event.timeStamp + PAUSE_MS : 0;
      if (place) void navigate(place.to);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [navigate]);
  useEffect(() => {
    // Addresses pasted outside a field open as if they were searched for.
    const paste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData("text") ?? "";
      const target = event.target as HTMLElement | null;
      if (target?.closest("input, textarea, select, [contenteditable], [role=dialog]")) return;
      if (["profile", "profiles"].includes(readAsk(text, profileHost()).kind)) ask(text);
    };
    window.addEventListener("paste", paste);
    return () => window.removeEventListener("paste", paste);
  }, [ask]);
}
