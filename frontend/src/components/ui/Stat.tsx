/** One figure in its own card: label above, figure, notes below.

 `label`     names the card
 `value`     the figure, 32 px; `unit` follows it in small type
 `note`      one line below, `detail` another one
 `aside`     a ring or an icon beside the figure
 `to`        the page about it, which the whole card opens
 `children`  the foot, below a line: a button
*/
import { Box, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import classes from "./Stat.module.css";

interface Props {
  label: string;
  value: ReactNode;
  unit?: ReactNode;
  note?: ReactNode;
  detail?: ReactNode;
  aside?: ReactNode;
  to?: string | undefined;
  children?: ReactNode;
}

export function Stat({ label, value, unit, note, detail, aside, to, children }: Props) {
  return (
    <section className={classes.stat} aria-label={label}>
      <Box c="dimmed" fz="sm" fw="var(--fw-500)" lh="sm" className={classes.label}>{to ? <Link to={to}>{label}</Link> : label}</Box>
      <div className={classes.body}>
        <div className={classes.value}>
          {value}
          {unit && <Box component="span" ms={2} c="var(--text-3)" fz="lg" fw="var(--fw-400)" lts={0} lh={0}>{unit}</Box>}
        </div>
        {note && <div className={classes.note}>{note}</div>}
        {detail && <div className={classes.detail}>{detail}</div>}
        {aside && <div className={classes.aside}>{aside}</div>}
      </div>
      {children && <Group align="stretch" gap="xs" mt="auto" pt="xs">{children}</Group>}
    </section>
  );
}
