/** Draws the messages of shared/toasts at the foot of the page. */
import { X } from "lucide-react";
import { toastClosed, toastHeld, toastUndone, useToasts } from "../shared/toasts";
import { T } from "./texts";
import { Button } from "./ui";

export function Toasts() {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {useToasts().map(({ id, text, tone, undoable }) => (
        <div key={id} className={`toast ${tone === "bad" ? "error" : ""}`} onPointerEnter={() => toastHeld(id, true)} onPointerLeave={() => toastHeld(id, false)}>
          <span>{text}</span>
          {undoable && <Button tone="ghost" onClick={() => toastUndone(id)}>{T.undo}</Button>}
          <Button tone="ghost" icon={X} aria-label={T.close} onClick={() => toastClosed(id)} />
        </div>
      ))}
    </div>
  );
}
