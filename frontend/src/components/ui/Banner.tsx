/** A line across a card or a page with an important message.

 `tone`      "info" (default), "accent", "warn" or "danger"; danger is read out at once
 `title`     a few words in bold
 `children`  one sentence
 `action`    one button
*/
import { Box, Group } from "@mantine/core";
import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import classes from "./Banner.module.css";

const ICONS = { info: Info, accent: CircleCheck, warn: TriangleAlert, danger: CircleAlert };

interface Props {
  tone?: keyof typeof ICONS;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}

export function Banner({ tone = "info", title, children, action }: Props) {
  const Icon = ICONS[tone];
  return (
    <Group gap="var(--s-2) var(--s-3)" className={classes.banner} data-tone={tone} role={tone === "danger" ? "alert" : "status"}>
      <Icon size={16} aria-hidden="true" />
      <Box flex="1 1 200px" miw={0} className={classes.text}>
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </Box>
      {action}
    </Group>
  );
}
