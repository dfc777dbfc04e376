/** Gives the focus back to what had it when a layer is gone that exists only while it is open; Mantine misses those. */
import { useEffect, useState } from "react";

export function useReturnedFocus(): void {
  // Read while drawing: after that the layer has taken the focus.
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    },
    [before],
  );
}
