/** Returns the focus to its previous owner when a layer that is mounted only while open disappears; Mantine does not
 handle those. */
import { useEffect, useState } from "react";

export function useReturnedFocus(): void {
  // Read during rendering, before the layer takes the focus.
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    },
    [before],
  );
}
