/** The plans, monthly and yearly. Shown at its own address and as a page of the settings. */
import { Box, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Sparkles } from "lucide-react";
import { Link, useMatch, useSearchParams } from "react-router";
import { subscriptionOf, useAccount } from "../../api/account";
import { planList } from "../../api/billing";
import { canPay } from "../../api/config";
import { problemOf } from "../../api/explain";
import type { Plan } from "../../api/types";
import { Empty } from "../../components/Empty";
import { Problem } from "../../components/Problem";
import { Banner } from "../../components/ui/Banner";
import { BusyButton } from "../../components/ui/BusyButton";
import { Page } from "../../components/ui/Page";
import { canResume, isMadeToMeasure } from "../../domain/planchange";
import { isMonthly } from "../../domain/subscription";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { ChangeDialog } from "./ChangeDialog";
import { LimitDialog } from "./LimitDialog";
import { PlanCard } from "./PlanCard";
import { PlanSkeleton } from "./PlanSkeleton";
import classes from "./UpgradePlan.module.css";
import { type PlanChange, usePlanChange } from "./usePlanChange";
import { PlanButton } from "./PlanButton";
import { FeatureList } from "./FeatureList";
import { planText } from "../../domain/plantexts";

const PERIODS = ["monthly", "yearly"] as const;
type Period = (typeof PERIODS)[number];

export function UpgradePlanScreen() {
  const alone = useMatch("/dashboard/upgradeplan") !== null;
  const [period, setPeriod] = usePeriod();

  const periods = (
    <Tabs.List aria-label={t("plans.period")} className={classes.tabs}>
      {PERIODS.map((one) => (
        <Tabs.Tab key={one} value={one}>
          {t(`plans.${one}`)}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
  return (
    <Tabs variant="unstyled" value={period} onChange={(value) => setPeriod(value === "yearly" ? value : "monthly")}>
      <Page
        title={t("plans.title")}
        lead={t("plans.lead")}
        actions={periods}
        {...(alone ? { back: { to: "/dashboard/main/dashboardmain", text: t("plans.back") } } : {})}
      >
        {!canPay() && <Banner tone="warn">{t("plans.offText")}</Banner>}
        {PERIODS.map((one) => (
          <Tabs.Panel key={one} value={one}>
            {one === period && <Plans period={one} />}
          </Tabs.Panel>
        ))}
      </Page>
    </Tabs>
  );
}

/** The billing interval, kept in the address; initially that of the current plan. */
function usePeriod(): [Period, (period: Period) => void] {
  const present = subscriptionOf(useAccount())?.subscriptionplan_by_planid;
  const [params, setParams] = useSearchParams();
  const asked = PERIODS.find((one) => one === params.get("period"));
  const usual = present && !isMonthly(present) ? "yearly" : "monthly";
  return [asked ?? usual, (period) => setParams({ period }, { replace: true, preventScrollReset: true })];
}

function Plans({ period }: { period: Period }) {
  const me = useAccount();
  const list = useQuery(planList);
  const change = usePlanChange();

  if (list.isPending) return <PlanSkeleton />;
  if (list.isError) return <Problem {...problemOf(list.error)} retry={list.refetch} />;
  const all = list.data.resource;
  const shown = all.filter((plan) => isMonthly(plan) === (period === "monthly"));
  if (shown.length === 0) return <Empty title={t("noDataFound")} />;
  // A yearly plan of a lower kind has fewer seats than the present plan: suggesting it would be a step down.
  const seats = subscriptionOf(me)?.subscriptionplan_by_planid?.availableseats ?? 0;
  const better = shown.filter((plan) => Number(plan.price) > 0 && ["upgrade", "subscribe"].includes(change.offer(plan)));
  const suggested = better.find((plan) => plan.availableseats >= seats) ?? better[0];
  return (
    <Stack>
      <Cancelled change={change} />
      <div className={classes.grid}>
        {shown.filter((plan) => !isTalkedAbout(plan)).map((plan) => (
          <PlanCard key={plan.planid} plan={plan} all={all} change={change} suggested={plan === suggested} />
        ))}
      </div>
      {shown.filter(isTalkedAbout).map((plan) => (
        <CustomPlan key={plan.planid} plan={plan} change={change} />
      ))}
      <Link to="/dashboard/creditaddons" className={classes.addons}>
        <Sparkles size={16} strokeWidth={1.75} aria-hidden="true" />
        {t("plans.addons")}
      </Link>
      <ChangeDialog change={change} />
      <LimitDialog change={change} />
    </Stack>
  );
}

/** A plan without a price is shown below the others, across the full width. */
const isTalkedAbout = (plan: Plan): boolean => isMadeToMeasure(plan) && Number(plan.price) < 0;

/** Withdraws a cancellation during the paid period. */
function Cancelled({ change }: { change: PlanChange }) {
  const one = subscriptionOf(useAccount());
  const present = one?.subscriptionplan_by_planid;
  if (!one || !present || isMadeToMeasure(present) || Number(present.price) <= 0 || !canResume(one, present.planid)) return null;
  const keep = (
    <BusyButton size="sm" variant="default" busy={change.busy && !change.question} onClick={() => change.keep(present)}>
      {t("plans.keepPresent", { present: present.name })}
    </BusyButton>
  );
  return (
    <Banner tone="warn" title={t("plans.cancelled", { name: present.name, date: dayText(one.expirydate) })} action={keep}>
      {t("plans.cancelledText")}
    </Banner>
  );
}

/** A custom plan: a strip across the whole width, with a link to sales. */
function CustomPlan({ plan, change }: { plan: Plan; change: PlanChange }) {
  const offer = change.offer(plan);
  return (
    <article className={classes.strip} data-current={offer === "current" || undefined} aria-label={plan.name}>
      <header>
        <h2>{plan.name}</h2>
        <div className={classes.price}>∞</div>
        {plan.details && <Box component="p" c="dimmed" fz="sm" lh="sm">{planText(plan.details)}</Box>}
      </header>
      <FeatureList label={t("plans.features", { name: plan.name })} features={plan.new_features_json ?? []} />
      <PlanButton plan={plan} offer={offer} change={change} />
    </article>
  );
}

export { UpgradePlanScreen as Component };
