/** How much of something is left, as a number and as a ring. */
import { RingProgress } from "@mantine/core";
import { t } from "../../lib/i18n.dashboard";
import classes from "./DashboardMain.module.css";

export function RemainingCard({ label, left, total }: { label: string; left: number; total: number }) {
  const percent = total > 0 ? Math.min(100, Math.round((left / total) * 100)) : 0;
  return (
    <section className={classes.card} aria-label={label}>
      <p className={classes.eyebrow}>{label}</p>
      <div className={classes.remaining}>
        <div>
          <p className={classes.big}>
            {left.toLocaleString("en-US")}
            <span>/{total.toLocaleString("en-US")}</span>
          </p>
          <p className={classes.dim}>{t("home.remaining")}</p>
        </div>
        <RingProgress
          size={92}
          thickness={9}
          // Of nothing the round cap would leave a dot.
          roundCaps={percent > 0}
          rootColor="gray.1"
          sections={[{ value: percent, color: "pine" }]}
          label={<p className={classes.percent}>{percent}%</p>}
        />
      </div>
    </section>
  );
}
