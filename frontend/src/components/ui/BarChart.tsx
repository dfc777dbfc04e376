/** Bars for days or months: 200 px high, three grid lines, a tooltip on hover and focus, a table for screen readers.

 `label`   what the chart shows, and its time span
 `points`  `{ label, value, before? }`: `before` is the previous period's value at this position, in a dashed line
 `unit`    the head of the column of values
 `beforeUnit`  the head of the previous period's column
 `beforeKey`   names the dashed line
 `aheadUnit`   the unit of the points that are `ahead`: expected, not known
 `joined`      bars without gaps, for a level instead of amounts
 `mark`        a line at the end of a point, such as the day of a renewal: `{ at, text }`
*/
import { Box, Group, Stack } from "@mantine/core";
import { type KeyboardEvent, type PointerEvent, useId, useState } from "react";
import { numberText } from "../../lib/locale";
import classes from "./BarChart.module.css";

export interface Point {
  label: string;
  value: number;
  before?: number;
  ahead?: boolean;
}

interface Props {
  label: string;
  points: readonly Point[];
  unit: string;
  beforeUnit?: string;
  beforeKey?: string;
  aheadUnit?: string;
  joined?: boolean;
  mark?: { at: number; text: string };
}

const HEIGHT = 200;
const LINES = 3;
const STEP = 100;
const ROUND = 6;
/** The typical width on a desktop. The drawing is stretched to the actual width, including its corners. */
const USUAL_WIDTH = 650;
const WIDEST = 24;

export function BarChart({ label, points, unit, beforeUnit, beforeKey, aheadUnit = unit, joined = false, mark }: Props) {
  const [at, setAt] = useState<number | null>(null);
  const clip = useId();
  const top = niceTop(Math.max(1, ...points.flatMap(({ value, before = 0 }) => [value, before])));
  const ticks = Array.from({ length: LINES }, (_, index) => (top / (LINES - 1)) * (LINES - 1 - index));
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT;
  const shown = at === null ? undefined : points[at];
  const move = (by: number) => setAt((old) => Math.min(points.length - 1, Math.max(0, (old ?? points.length) + by)));

  const handlers = {
    tabIndex: 0,
    onPointerMove: (event: PointerEvent<HTMLDivElement>) => {
      const box = event.currentTarget.getBoundingClientRect();
      setAt(Math.min(points.length - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * points.length))));
    },
    onPointerLeave: () => setAt(null),
    onFocus: () => setAt((old) => old ?? points.length - 1),
    onBlur: () => setAt(null),
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === "ArrowLeft") move(-1);
      if (key === "ArrowRight") move(1);
    },
  };

  const width = points.length * STEP;
  // Bars are at most 24 px wide.
  const share = joined ? 1 : Math.min(0.6, (WIDEST * points.length) / USUAL_WIDTH);
  const unitOf = ({ ahead }: Point) => (ahead ? aheadUnit : unit);
  const textOf = (point: Point | undefined) => (point ? `${point.label}: ${point.value} ${unitOf(point)}` : "");
  const compares = points.some(({ before }) => before !== undefined);

  return (
    <Box component="figure" m={0}>
      <Group align="stretch" gap="sm" wrap="nowrap">
        <Stack justify="space-between" gap={0} my="calc(-1 * var(--s-2))" c="var(--text-3)" fz="xs" lh="xs" ta="end" aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick}>{numberText(tick)}</span>
          ))}
        </Stack>
        <Box 
          pos="relative" flex={1} miw={0} className={classes.bars}
          data-joined={joined || undefined}
          role="slider"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={points.length - 1}
          aria-valuenow={at ?? points.length - 1}
          aria-valuetext={textOf(points[at ?? points.length - 1])}
          {...handlers}
        >
          <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" width="100%" height={HEIGHT} role="img" aria-label={label}>
            {ticks.map((tick) => (
              <line key={tick} x1={0} x2={width} y1={y(tick)} y2={y(tick)} className={classes.line} />
            ))}
            <clipPath id={clip}>
              <path d={`M0 0H${width}V${HEIGHT}H0z`} />
            </clipPath>
            <g clipPath={`url(#${clip})`}>
              {points.map(({ label: day, value, ahead }, index) => (
                <rect
                  key={day}
                  x={index * STEP + STEP * (0.5 - share / 2)}
                  y={y(value)}
                  width={STEP * share}
                  // Its lower corners are cut off.
                  height={HEIGHT - y(value) + ROUND}
                  rx={joined ? 0 : (ROUND * width) / USUAL_WIDTH}
                  ry={joined ? 0 : ROUND}
                  className={classes.bar}
                  data-active={index === at || undefined}
                  data-ahead={ahead || undefined}
                >
                  <title>{`${day}: ${value}`}</title>
                </rect>
              ))}
            </g>
            {compares && (
              <polyline className={classes.before} points={points.map(({ before = 0 }, index) => `${index * STEP},${y(before)} ${(index + 1) * STEP},${y(before)}`).join(" ")} />
            )}
          </svg>
          {mark && (
            <span className={classes.mark} style={{ insetInlineEnd: `${100 - ((mark.at + 1) / points.length) * 100}%` }}>
              <span>{mark.text}</span>
            </span>
          )}
          {shown && at !== null && (
            <div className={classes.tip} style={{ insetInlineStart: `${((at + 0.5) / points.length) * 100}%` }} data-late={at > points.length / 2 || undefined}>
              <strong>{shown.label}</strong>
              <span>{`${numberText(shown.value)} ${unitOf(shown)}`}</span>
              {shown.before !== undefined && beforeUnit && <span>{`${numberText(shown.before)} ${beforeUnit}`}</span>}
            </div>
          )}
        </Box>
      </Group>
      <Group component="figcaption" align="stretch" justify="space-between" wrap="nowrap" gap={0} mt="xs" ps="lg" c="var(--text-3)" fz="xs" lh="xs">
        <span>{points[0]?.label}</span>
        {compares && beforeKey && <Group component="span" display="inline-flex" wrap="nowrap" gap="xs" className={classes.key}>{beforeKey}</Group>}
        <span>{points.at(-1)?.label}</span>
      </Group>
      <div className="visually-hidden">
        <table>
          <caption>{label}</caption>
          <tbody>
            {points.map((point) => (
              <tr key={point.label}>
                <th scope="row">{point.label}</th>
                <td>{`${point.value} ${unitOf(point)}`}</td>
                {point.before !== undefined && beforeUnit && <td>{`${point.before} ${beforeUnit}`}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Box>
  );
}

/** The next even number of one digit and zeros, so that the middle line has a whole number. */
function niceTop(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(most));
  const steps = [2, 4, 6, 8, 10, 20].map((step) => step * unit);
  const top = most <= unit ? unit * 2 : (steps.find((step) => step >= most) ?? most);
  return Math.max(2, top);
}
