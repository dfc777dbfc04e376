/** A bar for the reveals of each member or key, one segment per kind. For screen readers, the table below has the data.
 */
import { Box, Group, Stack, Tooltip } from "@mantine/core";
import { numberText } from "../../lib/locale";
import classes from "./Usage.module.css";

export interface Bar {
  key: number;
  name: string;
  /** One number for each of `kinds`. */
  parts: readonly number[];
}

const MOST = 12;
const totalOf = (bar: Bar): number => bar.parts.reduce((sum, part) => sum + part, 0);

export function TeamChart({ title, kinds, bars }: { title: string; kinds: readonly string[]; bars: readonly Bar[] }) {
  const used = bars.filter((bar) => totalOf(bar) > 0);
  if (used.length === 0) return null;
  const shown = used.toSorted((one, other) => totalOf(other) - totalOf(one)).slice(0, MOST);
  const most = totalOf(shown[0]!);
  return (
    <figure className={classes.figure} aria-hidden="true">
      <figcaption>
        <strong>{title}</strong>
        {kinds.map((kind, index) => (
          <Group key={kind} component="span" display="inline-flex" wrap="nowrap" gap="xs" className={classes.kind} data-kind={index}>
            {kind}
          </Group>
        ))}
      </figcaption>
      <Stack gap="sm">
        {shown.map((bar) => (
          <Tooltip key={bar.key} label={`${bar.name}: ${kinds.map((kind, index) => `${kind} ${bar.parts[index]}`).join(", ")}`} multiline maw={260}>
            <div className={classes.bar}>
              <span data-name={bar.name} />
              <Box h={16} bdrs="var(--r-badge)" bg="var(--sunken)">
                <div className={classes.stack} style={{ inlineSize: `${(totalOf(bar) / most) * 100}%` }}>
                  {bar.parts.map((part, index) => part > 0 && <i key={kinds[index]} data-kind={index} style={{ flexGrow: part }} />)}
                </div>
              </Box>
              <span data-name={numberText(totalOf(bar))} />
            </div>
          </Tooltip>
        ))}
      </Stack>
    </figure>
  );
}
