/** A white card with a heading. */
import type { ReactNode } from "react";
import classes from "./Card.module.css";

export function Card({ title, text, action, children }: { title?: string; text?: ReactNode; action?: ReactNode; children?: ReactNode }) {
  return (
    <section className={classes.card} aria-label={title}>
      {(title || action) && (
        <header className={classes.head}>
          <div>
            {title && <h2>{title}</h2>}
            {text && <p>{text}</p>}
          </div>
          {action}
        </header>
      )}
      {children}
    </section>
  );
}
