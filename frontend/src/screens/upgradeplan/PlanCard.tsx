/** One plan: its price, its action, and its features. */
import { Box, UnstyledButton } from "@mantine/core";
import { subscriptionOf, useAccount } from "../../api/account";
import type { Plan } from "../../api/types";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { dollars } from "../../lib/money";
import { goesOn, savingOf } from "../../domain/planchange";
import { planText } from "../../domain/plantexts";
import { isMonthly } from "../../domain/subscription";
import { FeatureList } from "./FeatureList";
import { PlanButton } from "./PlanButton";
import classes from "./UpgradePlan.module.css";
import type { PlanChange } from "./usePlanChange";

interface Props {
  plan: Plan;
  all: Plan[];
  change: PlanChange;
  suggested: boolean;
}

export function PlanCard({ plan, all, change, suggested }: Props) {
  const offer = change.offer(plan);
  return (
    <article className={classes.card} data-current={offer === "current" || undefined} aria-label={plan.name}>
      <header>
        <h2>{plan.name}</h2>
        <Price plan={plan} />
        <Saving plan={plan} all={all} />
        {plan.details && <Box component="p" c="dimmed" fz="sm" lh="sm">{planText(plan.details)}</Box>}
      </header>
      <div>
        <PlanButton plan={plan} offer={offer} change={change} suggested={suggested} />
        <Note plan={plan} change={change} />
      </div>
      <FeatureList label={t("plans.features", { name: plan.name })} features={plan.new_features_json ?? []} />
    </article>
  );
}

function Price({ plan }: { plan: Plan }) {
  const price = Number(plan.price);
  if (price === 0) return <div className={classes.price}>{t("plan.free")}</div>;
  if (price < 0) return <div className={classes.price}>∞</div>;
  return (
    <div className={classes.price}>
      {dollars(price)} <span>{isMonthly(plan) ? t("plan.perMonth") : t("plan.perYear")}</span>
    </div>
  );
}

/** A yearly price per month, and the saving over the monthly plan of the same kind. */
function Saving({ plan, all }: { plan: Plan; all: Plan[] }) {
  const saving = savingOf(plan, all);
  if (!saving) return null;
  return (
    <p className={classes.saving}>
      {t("plans.aMonth", { price: dollars(saving.aMonth) })}, <strong>{t("plans.saves", { amount: dollars(saving.aYear) })}</strong>
    </p>
  );
}

/** A scheduled change of this plan: the day on which it starts or ends. */
function Note({ plan, change }: { plan: Plan; change: PlanChange }) {
  const one = subscriptionOf(useAccount());
  if (!one?.downgrade_planid || !goesOn(one)) return null;
  const date = dayText(one.downgrade_startson);
  if (plan.planid === one.downgrade_planid) return <Box component="p" mt="xs" c="var(--warn)" fz="sm" ta="center">{t("plans.startsOn", { date })}</Box>;
  if (plan.planid !== one.planid) return null;
  return (
    <Box component="p" mt="xs" c="var(--warn)" fz="sm" ta="center">
      {t("plans.endsOn", { date })}{" "}
      <UnstyledButton className={classes.link} onClick={() => change.choose(plan)}>
        {t("plans.keep")}
      </UnstyledButton>
    </Box>
  );
}
