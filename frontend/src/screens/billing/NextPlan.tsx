/** A scheduled downgrade: the plan until then, the plan afterwards, and a button that keeps the present one. */
import type { Plan, Subscription } from "../../api/types";
import { useNextPlan } from "../../api/billing";
import { Banner } from "../../components/ui/Banner";
import { BusyButton } from "../../components/ui/BusyButton";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import type { PlanChange } from "../upgradeplan/usePlanChange";

interface Props {
  subscription: Subscription;
  plan: Plan;
  change: PlanChange;
}

export function NextPlan({ subscription, plan, change }: Props) {
  const next = useNextPlan(subscription);
  if (!next) return null;
  const date = dayText(subscription.downgrade_startson);
  return (
    <Banner
      tone="warn"
      title={t("billing.downgradeNote", { name: next.name, date })}
      action={
        <BusyButton size="sm" variant="default" busy={change.busy || change.looking !== null} onClick={() => change.choose(plan)}>
          {t("plans.keepPresent", { present: plan.name })}
        </BusyButton>
      }
    >
      {t("billing.until", { name: plan.name, date })}
    </Banner>
  );
}
