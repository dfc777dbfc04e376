/** A white card with a heading. landmark: make it a region; its title must not be the label of a field. */
import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Card.module.css";

interface Props {
  title?: string;
  text?: ReactNode;
  action?: ReactNode;
  landmark?: boolean;
  children?: ReactNode;
}

export function Card({ title, text, action, landmark = false, children }: Props) {
  return (
    <section className={classes.card} {...(landmark && { "aria-label": title })}>
      {(title || action) && (
        <Group component="header" justify="space-between" gap="sm" mb="md" className={classes.head}>
          <div>
            {title && <h2>{title}</h2>}
            {text && <p>{text}</p>}
          </div>
          {action}
        </Group>
      )}
      {children}
    </section>
  );
}
