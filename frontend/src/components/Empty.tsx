/** What is shown where there is nothing yet. */
import type { ReactNode } from "react";
import classes from "./Notice.module.css";

export function Empty({ icon, title, text, action }: { icon?: ReactNode; title: ReactNode; text?: string; action?: ReactNode }) {
  return (
    <div className={classes.notice} role="status">
      {icon}
      <div className={classes.title}>{title}</div>
      {text && <p>{text}</p>}
      {action}
    </div>
  );
}
