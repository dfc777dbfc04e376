/** A custom plan: a strip across the whole width, with a link to sales. */
import type { Plan } from "../../api/types";
import { planText } from "../../domain/plantexts";
import { t } from "../../lib/i18n.dashboard";
import { FeatureList } from "./FeatureList";
import { PlanButton } from "./PlanButton";
import classes from "./UpgradePlan.module.css";
import type { PlanChange } from "./usePlanChange";

export function CustomPlan({ plan, change }: { plan: Plan; change: PlanChange }) {
  const offer = change.offer(plan);
  return (
    <article className={classes.strip} data-current={offer === "current" || undefined} aria-label={plan.name}>
      <header>
        <h2>{plan.name}</h2>
        <div className={classes.price}>∞</div>
        {plan.details && <p className={classes.details}>{planText(plan.details)}</p>}
      </header>
      <FeatureList label={t("plans.features", { name: plan.name })} features={plan.new_features_json ?? []} />
      <PlanButton plan={plan} offer={offer} change={change} />
    </article>
  );
}
