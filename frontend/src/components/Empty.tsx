/** Shown if there is nothing yet; `card` replaces a table. */
import { Box } from "@mantine/core";
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
      <Box c="var(--text-1)" fz="lg" fw="var(--fw-600)" lts={0} lh="lg">{title}</Box>
      {text && <p>{text}</p>}
      {action}
    </div>
  );
}
