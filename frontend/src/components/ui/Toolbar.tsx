/** The row of controls above a list.

 `label`     its name for a screen reader
 `children`  search and filters, which wrap
 `end`       buttons at the end
 `below`     filters in a row of their own
*/
import { Box, Group } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Toolbar.module.css";

export function Toolbar({ label, children, end, below }: { label: string; children: ReactNode; end?: ReactNode; below?: ReactNode }) {
  return (
    <Group align="flex-start" justify="space-between" gap="var(--s-2) var(--s-4)" className={classes.bar} role="group" aria-label={label}>
      <div className={classes.start}>{children}</div>
      {end && <Group gap="xs" miw={0}>{end}</Group>}
      {below && <Box flex="0 1 100%" miw={0}>{below}</Box>}
    </Group>
  );
}
