/** The notes at the edge of the page. Errors interrupt a screen reader; the rest waits its turn. */
import { CloseButton } from "@mantine/core";
import { CircleAlert, CircleCheck, Info } from "lucide-react";
import classes from "./Toasts.module.css";

export interface ToastItem {
  id: number;
  text: string;
  tone: "good" | "bad" | "plain";
}

const ICONS = { good: CircleCheck, bad: CircleAlert, plain: Info };

export function Toasts({ items, onClose, closeLabel }: { items: ToastItem[]; onClose: (id: number) => void; closeLabel: string }) {
  return (
    <div className={classes.stack}>
      {items.map(({ id, text, tone }) => {
        const Icon = ICONS[tone];
        return (
          <div key={id} className={classes.toast} data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
            <Icon size={18} aria-hidden="true" />
            <span className={classes.text}>{text}</span>
            <CloseButton size="sm" variant="transparent" aria-label={closeLabel} onClick={() => onClose(id)} />
          </div>
        );
      })}
    </div>
  );
}
