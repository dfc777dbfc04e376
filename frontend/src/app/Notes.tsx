/** The messages of the app, drawn above every screen. */
import { toastClosed, toastHeld, toastUndone, useToasts } from "../../shared/toasts";
import { Toasts } from "../components/ui/Toasts";
import { useBottomBar } from "../stores/bottombar";

export function Notes() {
  return <Toasts items={useToasts()} above={useBottomBar()} onClose={toastClosed} onHold={toastHeld} onUndo={toastUndone} />;
}
