/** The messages of the app, drawn above every screen. */
import { Toasts } from "../components/ui/Toasts";
import { useBottomBar } from "../stores/bottombar";
import { toastClosed, toastHeld, toastUndone, useToasts } from "../stores/toasts";

export function Notes() {
  return <Toasts items={useToasts()} above={useBottomBar()} onClose={toastClosed} onHold={toastHeld} onUndo={toastUndone} />;
}
