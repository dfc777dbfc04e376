/** An illustration of the product: a masked contact with one line revealed. Hidden from screen readers. */
import { Box, Group, Stack } from "@mantine/core";
import classes from "./PitchCard.module.css";

export function PitchCard() {
  return (
    <div className={classes.card} aria-hidden="true">
      <Group gap="sm" wrap="nowrap" mb="var(--s-1)">
        <Box component="span" w={46} h={46} bdrs="50%" bg="linear-gradient(140deg, var(--lime), var(--accent))" />
        <Stack component="span" gap="xs" className={classes.lines}>
          <i style={{ width: 132 }} />
          <i style={{ width: 88 }} />
        </Stack>
      </Group>
      <Group wrap="nowrap" gap="sm" className={classes.row}>
        <Box component="span" w={8} h={8} bdrs="50%" bg="currentColor" opacity="0.6" />
        <span>+**********</span>
      </Group>
      <Group wrap="nowrap" gap="sm" className={classes.row} data-open>
        <Box component="span" w={8} h={8} bdrs="50%" bg="currentColor" opacity="0.6" />
        <Box component="span" flex={1} h={10} bdrs="var(--r-badge)" bg="var(--sidebar)" />
        <svg width="18" height="18" viewBox="0 0 18 18">
          <path d="M3.5 9.5l3.4 3.4 7.6-8" fill="none" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" strokeLinejoin="round" />
        </svg>
      </Group>
      <Group wrap="nowrap" gap="sm" className={classes.row}>
        <Box component="span" w={8} h={8} bdrs="50%" bg="currentColor" opacity="0.6" />
        <span>*****@****.***</span>
      </Group>
    </div>
  );
}
