/** The plan: price, renewal or end, seats in use, and the available actions. */
import { Box, Group, Text } from "@mantine/core";
import { creditsOf, isFreePlan, subscriptionOf, useAccount } from "../../api/account";
import type { Plan, Subscription } from "../../api/types";
import { needsMore } from "../../app/layout/credits";
import { Card } from "../../components/ui/Card";
import { BusyButton } from "../../components/ui/BusyButton";
import { Meter } from "../../components/ui/Meter";
import { Banner } from "../../components/ui/Banner";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { dollars } from "../../lib/money";
import { canResume, isOver } from "../../domain/planchange";
import { endOf, isCustom, isMonthly, renews } from "../../domain/subscription";
import { ChangeDialog } from "../upgradeplan/ChangeDialog";
import { usePlanChange } from "../upgradeplan/usePlanChange";
import classes from "./Billing.module.css";
import { CancelPlan } from "./CancelPlan";
import { NextPlan } from "./NextPlan";

export function PlanBox() {
  const me = useAccount();
  const one = subscriptionOf(me);
  const plan = one?.subscriptionplan_by_planid;
  return (
    <Card title={t("billing.plan")} landmark>
      {one && plan ? <Facts one={one} plan={plan} /> : <p>{t("plan.none")}</p>}
      <Group align="stretch" gap="xs" className={classes.actions}>
        <ButtonLink to="/dashboard/upgradeplan" role="link" variant={needsMore(me) ? "default" : "filled"}>
          {isFreePlan(me) ? t("menu.viewPlans") : t("menu.upgrade")}
        </ButtonLink>
        <ButtonLink to="/dashboard/creditaddons" role="link" variant="default">{t("billing.addons")}</ButtonLink>
        {one && plan && canCancel(one, plan) && <CancelPlan subscription={one} />}
      </Group>
    </Card>
  );
}

function Facts({ one, plan }: { one: Subscription; plan: Plan }) {
  const left = creditsOf(useAccount())?.seatcount ?? 0;
  const total = plan.availableseats;
  const used = Math.max(0, total - left);
  const change = usePlanChange();
  const share = total > 0 ? Math.round((used / total) * 100) : 0;
  return (
    <>
      <Group justify="space-between" align="flex-start" gap="var(--s-3) var(--s-6)">
        <div>
          <Text size="lg" fw={600}>{plan.name}</Text>
          <p className={classes.standing} data-bad={isOver(one) || !renews(one) || undefined}>
            {standing(one, plan)}
          </p>
        </div>
        <Price plan={plan} />
      </Group>
      <NextPlan subscription={one} plan={plan} change={change} />
      {canResume(one, plan.planid) && Number(plan.price) > 0 && !isCustom(plan) && (
        <Banner
          tone="warn"
          title={t("plans.cancelled", { name: plan.name, date: endOf(one) })}
          action={
            <BusyButton size="sm" variant="default" busy={change.busy} onClick={() => change.keep(plan)}>
              {t("plans.keepPresent", { present: plan.name })}
            </BusyButton>
          }
        >
          {t("plans.cancelledText")}
        </Banner>
      )}
      {one.status === "past_due" && (
        <Banner tone="danger">{t("billing.pastDue")}</Banner>
      )}
      <Group align="stretch" justify="space-between" gap="xs" maw={400} my="md" c="dimmed" fz="sm" lh="sm">
        <span>{t("billing.seatsUsed")}</span>
        <span>
          <span>{t("billing.seatsOf", { used, total })}</span> · {t("billing.seatsLeft", { left: Math.max(0, total - used) })}
        </span>
        <Box flex="0 1 100%" role="progressbar" aria-label={t("billing.seatsUsed")} aria-valuenow={share} aria-valuemin={0} aria-valuemax={100}>
          <Meter used left={total - used} total={total} />
        </Box>
      </Group>
      <Text c="dimmed" size="sm">{t("billing.order")}</Text>
      <ChangeDialog change={change} />
    </>
  );
}

function standing(one: Subscription, plan: Plan): string {
  const date = endOf(one);
  if (one.status === "paused") return t("plan.paused");
  if (isOver(one)) return t("plan.expired");
  if (one.status === "past_due") return t("plan.pastDue", { date: dayText(one.graceuntil) || date });
  if (Number(plan.price) === 0) return t("plan.trial", { date });
  if (renews(one) && one.downgrade_planid) return "";
  return renews(one) ? t("plan.renews", { date }) : t("plan.cancelled", { date });
}

function Price({ plan }: { plan: Plan }) {
  const price = Number(plan.price);
  if (price === 0) return <p className={classes.price}>{t("plan.free")}</p>;
  return (
    <p className={classes.price}>
      {price < 0 ? "∞" : dollars(price)} <span>{isMonthly(plan) ? t("plan.perMonth") : t("plan.perYear")}</span>
    </p>
  );
}

/** A paid plan that renews. */
const canCancel = (one: Subscription, plan: Plan): boolean => Number(plan.price) > 0 && !isCustom(plan) && renews(one) && !isOver(one);
