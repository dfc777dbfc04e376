/** The plan that a scheduled downgrade leads to, and where it can be undone. */
import { Link } from "react-router";
import { isOwner, subscriptionOf, useAccount } from "../../api/account";
import { useNextPlan } from "../../api/billing";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import classes from "./DashboardMain.module.css";

export default function Changes() {
  const me = useAccount();
  const subscription = subscriptionOf(me);
  const next = useNextPlan(subscription);
  if (!next) return t("plan.changes", { date: dayText(subscription?.downgrade_startson) });
  return (
    <>
      {t("billing.downgradeNote", { name: next.name, date: dayText(subscription?.downgrade_startson) })}{" "}
      {isOwner(me) && (
        <Link className={classes.more} to="/dashboard/settings/billing">
          {t("plans.keepPresent", { present: subscription?.subscriptionplan_by_planid?.name ?? "" })}
        </Link>
      )}
    </>
  );
}
