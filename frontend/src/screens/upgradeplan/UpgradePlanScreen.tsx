/** The plans, by month and by year. Shown under its own address and as a page of the settings. */
import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Sparkles } from "lucide-react";
import { Link, Navigate, useMatch, useSearchParams } from "react-router";
import { isOwner, subscriptionOf, useAccount } from "../../api/account";
import { planList } from "../../api/billing";
import { canPay } from "../../api/config";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { BackLink } from "../../components/BackLink";
import { Empty } from "../../components/Empty";
import { Problem } from "../../components/Problem";
import { Title } from "../../components/Title";
import { t } from "../../lib/i18n.dashboard";
import { isMonthly } from "../../domain/subscription";
import { ChangeDialog } from "./ChangeDialog";
import { LimitDialog } from "./LimitDialog";
import { PlanCard } from "./PlanCard";
import { PlanSkeleton } from "./PlanSkeleton";
import classes from "./UpgradePlan.module.css";
import { usePlanChange } from "./usePlanChange";

const PERIODS = ["monthly", "yearly"] as const;
type Period = (typeof PERIODS)[number];

export function UpgradePlanScreen() {
  const me = useAccount();
  const alone = useMatch("/dashboard/upgradeplan") !== null;
  const [period, setPeriod] = usePeriod();
  if (!isOwner(me)) return <Navigate to="/dashboard/main/dashboardmain" replace />;

  const Heading = alone ? "h1" : "h2";
  return (
    <>
      <Title text={t("plans.title")} />
      {alone && (
        <BackLink to="/dashboard/main/dashboardmain">{t("plans.back")}</BackLink>
      )}
      <Tabs variant="pills" value={period} onChange={(value) => setPeriod(value === "yearly" ? value : "monthly")}>
        <div className={classes.head}>
          <div>
            <Heading>{t("plans.title")}</Heading>
            <p>{t("plans.lead")}</p>
          </div>
          <Tabs.List aria-label={t("plans.period")} className={classes.tabs}>
            {PERIODS.map((one) => (
              <Tabs.Tab key={one} value={one}>
                {t(`plans.${one}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </div>
        {!canPay() && (
          <p className={classes.off} role="status">
            {t("plans.offText")}
          </p>
        )}
        {PERIODS.map((one) => (
          <Tabs.Panel key={one} value={one}>
            {one === period && <Plans period={one} />}
          </Tabs.Panel>
        ))}
      </Tabs>
      <Link to="/dashboard/creditaddons" className={classes.addons}>
        <Sparkles size={16} aria-hidden="true" />
        {t("plans.addons")}
      </Link>
    </>
  );
}

/** The side of the switch, kept in the address; at first the side of the plan that one has. */
function usePeriod(): [Period, (period: Period) => void] {
  const present = subscriptionOf(useAccount())?.subscriptionplan_by_planid;
  const [params, setParams] = useSearchParams();
  const asked = PERIODS.find((one) => one === params.get("period"));
  const usual = present && !isMonthly(present) ? "yearly" : "monthly";
  return [asked ?? usual, (period) => setParams({ period }, { replace: true, preventScrollReset: true })];
}

function Plans({ period }: { period: Period }) {
  const list = useQuery(planList);
  const change = usePlanChange();

  if (list.isPending) return <PlanSkeleton />;
  if (list.isError) {
    const requestId = list.error instanceof ApiError ? list.error.requestId : undefined;
    return <Problem text={explain(list.error)} requestId={requestId} retry={list.refetch} />;
  }
  const shown = list.data.resource.filter((plan) => isMonthly(plan) === (period === "monthly"));
  if (shown.length === 0) return <Empty title={t("noDataFound")} />;
  return (
    <>
      <div className={classes.grid}>
        {shown.map((plan) => (
          <PlanCard key={plan.planid} plan={plan} change={change} />
        ))}
      </div>
      <ChangeDialog change={change} />
      <LimitDialog change={change} />
    </>
  );
}

export { UpgradePlanScreen as Component };
