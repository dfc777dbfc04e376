/** The last line: the frame itself threw while drawing, or its code could not be fetched. */
import { ScreenFailed } from "./ScreenFailed";

export function Crashed() {
  return (
    <main id="content">
      <ScreenFailed />
    </main>
  );
}
