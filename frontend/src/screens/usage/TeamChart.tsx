/** Stacked columns of each member's or key's reveals by kind. Screen readers use the table below instead. */
import { Tooltip } from "@mantine/core";
import { ticksOf } from "../../lib/ticks";
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
  const ticks = ticksOf(Math.max(...shown.map(totalOf)));
  const top = ticks.at(-1) ?? 1;
  return (
    <figure className={classes.figure} aria-hidden="true">
      <figcaption>
        <strong>{title}</strong>
        {kinds.map((kind, index) => (
          <span key={kind} className={classes.kind} data-kind={index}>
            {kind}
          </span>
        ))}
      </figcaption>
      <div className={classes.chart}>
        {ticks.map((tick) => (
          <span key={tick} className={classes.tick} style={{ insetBlockEnd: `${(tick / top) * 100}%` }}>
            {numberText(tick)}
          </span>
        ))}
        <div className={classes.bars}>
          {shown.map((bar) => (
            <Tooltip key={bar.key} label={`${bar.name}: ${kinds.map((kind, index) => `${kind} ${bar.parts[index]}`).join(", ")}`} multiline maw={260}>
              <div className={classes.column}>
                <div className={classes.stack} style={{ blockSize: `${(totalOf(bar) / top) * 100}%` }}>
                  {bar.parts.map((part, index) => (
                    <i key={kinds[index]} data-kind={index} style={{ flexGrow: part }} />
                  ))}
                </div>
              </div>
            </Tooltip>
          ))}
        </div>
      </div>
      <div className={classes.names}>
        {shown.map((bar) => (
          <span key={bar.key} data-name={bar.name} />
        ))}
      </div>
    </figure>
  );
}
