/** The first screen: the plan, its remaining credits, and the people found so far. */
import { useQuery } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import { Suspense, lazy, useState } from "react";
import { creditsOf, isOwner, subscriptionOf, useAccount } from "../../api/account";
import { appCounters } from "../../api/dashboard";
import { Page } from "../../components/ui/Page";
import { standingOf } from "../../domain/subscription";
import { t } from "../../lib/i18n.dashboard";
import { AskCard } from "./AskCard";
import { Counters } from "./Counters";
import classes from "./DashboardMain.module.css";
import { KeyUse } from "./KeyUse";
import { LatestReveals } from "./LatestReveals";
import { PlanCard } from "./PlanCard";
import { RemainingStat } from "./RemainingStat";
import { RevealedCard } from "./RevealedCard";
import { RevealedStat } from "./RevealedStat";
import { TeamFaces } from "./TeamFaces";
import type { Days } from "./useRevealed";

const Checklist = lazy(() => import("./Checklist"));
const ExpiredBanner = lazy(() => import("./ExpiredBanner"));

export function DashboardMainScreen() {
  const me = useAccount();
  const owns = isOwner(me);
  const credits = creditsOf(me);
  const subscription = subscriptionOf(me);
  const plan = subscription?.subscriptionplan_by_planid;
  const [days, setDays] = useState<Days>("7");
  const [team, setTeam] = useState(false);
  const hasKeys = (plan?.availableapicall ?? 0) > 0;
  const counters = useQuery(appCounters);
  const isNew = counters.data?.["contacts"] === 0;

  return (
    <Page title={t("menu.dashboard")} heading={t("home.hello", { name: me.firstname || me.name })} lead={<p>{t("home.lead")}</p>}>
      {standingOf(subscription, credits) === "expired" && (
        <Suspense>
          <ExpiredBanner />
        </Suspense>
      )}
      <AskCard isNew={isNew} />
      {isNew && counters.data && (
        <Suspense>
          <Checklist counters={counters.data} />
        </Suspense>
      )}
      <div className={classes.stats}>
        <PlanCard />
        <RemainingStat
          label={t("home.seats")}
          left={credits?.seatcount ?? 0}
          total={plan?.availableseats ?? 0}
          note={t("home.remaining")}
          detail={owns && <TeamFaces />}
          link={owns ? { to: "/dashboard/settings/manageseats", text: t("home.manageSeats") } : undefined}
        />
        <RemainingStat
          label={t("home.apicalls")}
          left={credits?.apicallcount ?? 0}
          total={plan?.availableapicall ?? 0}
          note={t("home.remainingKeys")}
          detail={hasKeys ? owns && <KeyUse /> : <NoApi />}
          link={owns ? { to: hasKeys ? "/dashboard/settings/api" : "/dashboard/upgradeplan", text: t(hasKeys ? "home.manageKeys" : "menu.viewPlans") } : undefined}
        />
        <RevealedStat days={days} team={team} />
      </div>
      {!isNew && (
        <>
          <div className={classes.panes}>
            <RevealedCard days={days} onDays={setDays} team={team} onTeam={setTeam} />
            <LatestReveals />
          </div>
          <Counters counters={counters} />
        </>
      )}
    </Page>
  );
}

/** Explains 0 of 0 for a plan without the API. */
function NoApi() {
  return (
    <span className={classes.change}>
      <Lock size={16} strokeWidth={1.75} aria-hidden="true" />
      {t("home.noApi")}
    </span>
  );
}

export { DashboardMainScreen as Component };
