/** The skeleton of the plan cards. */
import { Skeleton } from "@mantine/core";
import { t } from "../../lib/i18n";
import classes from "./UpgradePlan.module.css";

export function PlanSkeleton() {
  return (
    <div className={classes.grid} role="status" aria-label={t("loading")}>
      {Array.from({ length: 4 }, (_, index) => (
        <div key={index} className={classes.card} data-waiting>
          <Skeleton height={20} width="45%" />
          <Skeleton height={34} width="60%" />
          <Skeleton height={14} />
          <Skeleton height={40} radius={8} />
          <Skeleton height={120} />
        </div>
      ))}
    </div>
  );
}
