/** The mark, an open ring that leads to a point, with the name next to it. */
import { Box } from "@mantine/core";
import classes from "./Logo.module.css";

export function Logo({ name, badge, light = false }: { name: string; badge?: string; light?: boolean }) {
  return (
    <span className={classes.logo} data-light={light || undefined}>
      <svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true">
        <rect width="32" height="32" rx="9" className={classes.tile} />
        <path d="M21.6 8.9A9 9 0 1 0 25 16" className={classes.ring} />
        <circle cx="24.2" cy="10.6" r="2.4" className={classes.point} />
      </svg>
      <Box component="span" fz="xl" fw="var(--fw-600)" lts="var(--tracking)">{name}</Box>
      {badge && <Box component="span" px="xs" py={1} bdrs="var(--r-badge)" bg="var(--lime)" c="var(--sidebar)" fz="xs" fw="var(--fw-600)" lh="xs">{badge}</Box>}
    </span>
  );
}
