/** The last resort: the frame itself threw while rendering, or a part of it could not be loaded. Its shape remains. */
import { useLayoutEffect } from "react";
import { ScreenFailed } from "./ScreenFailed";

const WIDE = 1280;

export function Crashed() {
  useLayoutEffect(() => {
    // Set by public/theme.js, but not after a sign-in.
    if (window.location.pathname.startsWith("/dashboard")) document.documentElement.dataset["frame"] ??= window.innerWidth < WIDE ? "small" : "wide";
  }, []);
  return (
    <div className="frame-shape unreachable">
      <main id="content">
        <ScreenFailed />
      </main>
    </div>
  );
}
