/** Shown if there is nothing yet; `card` replaces a table. */
import type { ReactNode } from "react";
import classes from "./Notice.module.css";

interface Props {
  icon?: ReactNode;
  title: ReactNode;
  text?: string;
  action?: ReactNode;
  card?: boolean;
}

export function Empty({ icon, title, text, action, card }: Props) {
  return (
    <div className={classes.notice} data-card={card || undefined} role="status">
      {icon}
      <div className={classes.title}>{title}</div>
      {text && <p>{text}</p>}
      {action}
    </div>
  );
}
