/** Listens for the keys of every frame: ⌘K (Ctrl on other systems) and `?`. */
import { useEffect } from "react";
import { isTyping } from "./keys";

export function useFrameKeys(onPalette: () => void, onShortcuts: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      const hasModifier = event.metaKey || event.ctrlKey;
      if (event.altKey) return;
      if (key === "k" && hasModifier && !event.shiftKey) {
        event.preventDefault();
        onPalette();
      } else if (key === "?" && !hasModifier && !isTyping(event)) onShortcuts();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [onPalette, onShortcuts]);
}
