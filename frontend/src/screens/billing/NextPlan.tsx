/** A scheduled downgrade: the plan and the date. */
import { useQuery } from "@tanstack/react-query";
import { planList } from "../../api/billing";
import type { Subscription } from "../../api/types";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { goesOn } from "../../domain/planchange";
import classes from "./Billing.module.css";

export function NextPlan({ subscription }: { subscription: Subscription }) {
  const decided = Boolean(subscription.downgrade_planid) && goesOn(subscription);
  const plans = useQuery({ ...planList, enabled: decided });
  const next = plans.data?.resource.find(({ planid }) => planid === subscription.downgrade_planid);
  if (!decided || !next) return null;
  return (
    <p className={classes.standing} data-bad>
      {t("billing.downgradeNote", { name: next.name, date: dayText(subscription.downgrade_startson) })}
    </p>
  );
}
