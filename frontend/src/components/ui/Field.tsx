/** A labelled fact on the fixed grid of cards and drawers: icon and label, value, actions.

 `label`     a term; `icon` a Lucide icon of 16
 `children`  the value
 `actions`   buttons at the end of the line
*/
import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Field.module.css";

interface Props {
  label: ReactNode;
  icon?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Field({ label, icon, actions, children }: Props) {
  return (
    <div className={classes.field}>
      <Group wrap="nowrap" gap="xs" className={classes.label}>
        {icon}
        {label}
      </Group>
      <div className={classes.value}>{children}</div>
      {actions && <Group align="stretch" gap="var(--s-1)" wrap="nowrap">{actions}</Group>}
    </div>
  );
}
