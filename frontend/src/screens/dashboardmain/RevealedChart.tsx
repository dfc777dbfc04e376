/** A bar for each day. Drawn by hand: a library for charts would weigh more than this screen. */
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import classes from "./DashboardMain.module.css";

interface Day {
  date: string;
  count: number;
}

const HEIGHT = 72;
const STEP = 10;
const SMALLEST = 2;

export function RevealedChart({ days }: { days: Day[] }) {
  const most = Math.max(1, ...days.map(({ count }) => count));
  const [first, last] = [days[0], days.at(-1)];
  // Many bars stand closer together.
  const bar = days.length > 31 ? STEP - 2 : STEP - 4;
  return (
    <figure className={classes.chart}>
      <svg
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t("home.chart", { from: dayText(first?.date), to: dayText(last?.date) })}
      >
        {days.map(({ date, count }, index) => {
          const height = count === 0 ? SMALLEST : Math.max(6, (count / most) * HEIGHT);
          return (
            <rect key={date} x={index * STEP + (STEP - bar) / 2} y={HEIGHT - height} width={bar} height={height} rx={1.5} data-none={count === 0 || undefined}>
              <title>{`${dayText(date)}: ${count}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span>{dayText(first?.date)}</span>
        <span>{dayText(last?.date)}</span>
      </figcaption>
    </figure>
  );
}
