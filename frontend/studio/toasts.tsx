/** Short messages at the foot of the page, with an action such as undo. */
import { useSyncExternalStore } from "react";
import { X } from "lucide-react";
import { T } from "./texts";
import { Button } from "./ui";

interface Toast {
  id: number;
  text: string;
  undo?: () => void;
  isError?: boolean;
}

const SECONDS = 10;
let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const dismiss = (id: number): void => set(toasts.filter((toast) => toast.id !== id));

export function tell(text: string, options: { undo?: () => void; isError?: boolean } = {}): void {
  last += 1;
  const id = last;
  // Only the last change can be undone.
  set([{ id, text, ...options }]);
  setTimeout(() => dismiss(id), SECONDS * 1000);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, undo, isError }) => (
        <div key={id} className={`toast ${isError ? "error" : ""}`}>
          <span>{text}</span>
          {undo && (
            <Button tone="ghost" onClick={() => { dismiss(id); undo(); }}>{T.undo}</Button>
          )}
          <Button tone="ghost" icon={X} aria-label={T.close} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
