/** The messages at the edge of the page. Errors interrupt a screen reader; the others wait.

 `above`   pixels at the bottom of the window that stay free
 `onHold`  a message with Undo stays while it is hovered or focused
 `onUndo`  the button of such a message; the focus then returns to where it was before
*/
import { CloseButton } from "@mantine/core";
import { CircleAlert, CircleCheck, Info } from "lucide-react";
import { type FocusEvent, useRef } from "react";
import { t } from "../../lib/i18n";
import classes from "./Toasts.module.css";

export interface ToastItem {
  id: number;
  text: string;
  tone: "good" | "bad" | "plain";
  undoable?: boolean;
  action?: string;
}

interface Handlers {
  onClose: (id: number) => void;
  onHold: (id: number, held: boolean) => void;
  onUndo: (id: number) => void;
}

const ICONS = { good: CircleCheck, bad: CircleAlert, plain: Info };

export function Toasts({ items, above, ...handlers }: { items: ToastItem[]; above: number } & Handlers) {
  return (
    <div className={classes.stack} style={{ paddingBlockEnd: above }}>
      {items.map((item) => (
        <Note key={item.id} item={item} {...handlers} />
      ))}
    </div>
  );
}

function Note({ item: { id, text, tone, undoable, action }, onClose, onHold, onUndo }: { item: ToastItem } & Handlers) {
  const Icon = ICONS[tone];
  const before = useRef<EventTarget | null>(null);
  const holds = {
    onPointerEnter: () => onHold(id, true),
    onPointerLeave: () => onHold(id, false),
    onFocus: ({ currentTarget, relatedTarget }: FocusEvent) => {
      onHold(id, true);
      if (!currentTarget.contains(relatedTarget as Node | null)) before.current = relatedTarget;
    },
    onBlur: () => onHold(id, false),
  };
  const leave = (act: (id: number) => void) => () => {
    act(id);
    if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus({ preventScroll: true });
  };
  return (
    <div className={classes.toast} data-tone={tone} role={tone === "bad" ? "alert" : "status"} {...(undoable && holds)}>
      <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
      <span className={classes.text}>{text}</span>
      {undoable && (
        <button type="button" className={classes.undo} aria-keyshortcuts={action ? undefined : "Control+Z Meta+Z"} onClick={leave(onUndo)}>
          {action ?? t("undo")}
        </button>
      )}
      <CloseButton size="sm" variant="transparent" aria-label={t("close")} onClick={leave(onClose)} />
    </div>
  );
}
