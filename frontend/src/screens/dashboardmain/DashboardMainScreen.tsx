/** The first screen: the plan, its remaining credits, and the people found so far. */
import { useQuery } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import { Suspense, lazy, useState } from "react";
import { useLocation } from "react-router";
import { Center, Group } from "@mantine/core";
import { creditsOf, isOwner, subscriptionOf, useAccount } from "../../api/account";
import { appCounters } from "../../api/dashboard";
import { Page } from "../../components/ui/Page";
import { standingOf } from "../../domain/subscription";
import type { Kind } from "../../domain/reveal";
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
import type { Days } from "./useRevealed";
import { listText, numberText } from "../../lib/locale";
import { NameAvatar } from "../../components/NameAvatar";
import { team } from "../../api/team";

const BurnDown = lazy(() => import("../creditledger/BurnDown"));
const Receipt = lazy(() => import("./Receipt"));
const Checklist = lazy(() => import("./Checklist"));
const ExpiredBanner = lazy(() => import("./ExpiredBanner"));

export function DashboardMainScreen() {
  const me = useAccount();
  const owns = isOwner(me);
  const credits = creditsOf(me);
  const subscription = subscriptionOf(me);
  const plan = subscription?.subscriptionplan_by_planid;
  const [days, setDays] = useState<Days>("7");
  const [ofTeam, setOfTeam] = useState(false);
  const { bought } = (useLocation().state ?? {}) as { bought?: number };
  const [kind, setKind] = useState<Kind>("phone");
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
      {bought && (
        <Suspense>
          <Receipt planid={bought} />
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
          to={owns ? "/dashboard/settings/manageseats" : undefined}
        />
        <RemainingStat
          label={t("home.apicalls")}
          left={credits?.apicallcount ?? 0}
          total={plan?.availableapicall ?? 0}
          note={t("home.remainingKeys")}
          detail={hasKeys ? owns && <KeyUse /> : <NoApi />}
          to={owns ? (hasKeys ? "/dashboard/settings/api" : "/dashboard/upgradeplan") : undefined}
        />
        <RevealedStat days={days} team={ofTeam} />
      </div>
      {!isNew && (
        <>
          <div className={classes.panes}>
            <RevealedCard days={days} onDays={setDays} team={ofTeam} onTeam={setOfTeam} />
            <LatestReveals />
          </div>
          {owns && (
            <Suspense>
              <BurnDown kind={kind} onKind={setKind} />
            </Suspense>
          )}
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

const MOST_FACES = 4;

/** The pictures of the members on the plan's seats; screen readers read their names. */
function TeamFaces() {
  const { data } = useQuery(team);
  if (!data) return null;
  const shown = data.resource.slice(0, MOST_FACES);
  const more = (data.meta?.count ?? shown.length) - shown.length;
  const names = shown.map(({ name }) => name);
  const text = listText(more > 0 ? [...names, t("home.moreMembers", { more: numberText(more) })] : names);
  return (
    <Group component="span" align="stretch" gap="var(--s-1)" wrap="nowrap" role="img" aria-label={text} title={text}>
      {shown.map(({ appuserid, name, avatar }) => (
        <NameAvatar key={appuserid} name={name} src={avatar} size={24} drawn />
      ))}
      {more > 0 && <Center component="span" miw="var(--s-6)" h="var(--s-6)" px="var(--s-1)" bdrs="var(--r-pill)" bg="var(--sunken)" c="dimmed" fz="xs" fw="var(--fw-500)">{`+${numberText(more)}`}</Center>}
    </Group>
  );
}

export { DashboardMainScreen as Component };
