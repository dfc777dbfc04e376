/** The last resort: the frame itself threw while rendering, or its code could not be loaded. */
import { ScreenFailed } from "./ScreenFailed";

export function Crashed() {
  return (
    <main id="content">
      <ScreenFailed />
    </main>
  );
}
