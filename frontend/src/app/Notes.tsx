/** The messages of the app, drawn above every screen. */
import { Toasts } from "../components/ui/Toasts";
import { toastClosed, toastHeld, toastUndone, useToasts } from "../stores/toasts";

export function Notes() {
  return <Toasts items={useToasts()} onClose={toastClosed} onHold={toastHeld} onUndo={toastUndone} />;
}
