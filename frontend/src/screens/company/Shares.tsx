/** What a total is made of: one bar of its parts, and below it each part with its number, which filters by it.

 `parts`     the largest first; those behind the first ones are one segment without a name
 `chosen`    the part that is filtered by, or ""
 `onChoose`  called with it, or with "" to end the filter
*/
import { Stack } from "@mantine/core";
import { numberText } from "../../lib/locale";
import classes from "./Company.module.css";

export interface Part {
  value: string;
  name: string;
  count: number;
}

const MOST = 6;

interface Props {
  label: string;
  parts: readonly Part[];
  chosen: string;
  onChoose: (value: string) => void;
}

export function Shares({ label, parts, chosen, onChoose }: Props) {
  const named = parts.slice(0, MOST);
  const rest = parts.slice(MOST).reduce((sum, { count }) => sum + count, 0);
  return (
    <Stack role="group" aria-label={label} className={classes.shares}>
      <div className={classes.bar} aria-hidden="true">
        {named.map(({ value, count }, index) => (
          <i key={value} data-part={index} data-dim={(chosen !== "" && chosen !== value) || undefined} style={{ flexGrow: count }} />
        ))}
        {rest > 0 && <i data-part="rest" style={{ flexGrow: rest }} />}
      </div>
      <div className={classes.legend}>
        {parts.map(({ value, name, count }, index) => (
          <button key={value} type="button" aria-pressed={chosen === value} onClick={() => onChoose(chosen === value ? "" : value)}>
            <i data-part={index < MOST ? index : "rest"} aria-hidden="true" />
            <span title={name}>{name}</span> <b>{numberText(count)}</b>
          </button>
        ))}
      </div>
    </Stack>
  );
}
