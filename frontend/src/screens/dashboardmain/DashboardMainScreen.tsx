/** The first screen: the plan, what is left of it, and what has been found so far. */
import { creditsOf, subscriptionOf, useAccount } from "../../api/account";
import { Title } from "../../components/Title";
import { t } from "../../lib/i18n.dashboard";
import { Counters } from "./Counters";
import classes from "./DashboardMain.module.css";
import { PlanCard } from "./PlanCard";
import { RemainingCard } from "./RemainingCard";
import { RevealedCard } from "./RevealedCard";

export function DashboardMainScreen() {
  const me = useAccount();
  const credits = creditsOf(me);
  const plan = subscriptionOf(me)?.subscriptionplan_by_planid;

  return (
    <>
      <Title text={t("menu.dashboard")} />
      <div className={classes.head}>
        <h1>{t("home.hello", { name: me.firstname || me.name })}</h1>
        <p>{t("home.lead")}</p>
      </div>
      <div className={classes.grid}>
        <PlanCard />
        <RemainingCard label={t("home.seats")} left={credits?.seatcount ?? 0} total={plan?.availableseats ?? 0} />
        <RemainingCard label={t("home.apicalls")} left={credits?.apicallcount ?? 0} total={plan?.availableapicall ?? 0} />
        <RevealedCard />
        <Counters />
      </div>
    </>
  );
}

export { DashboardMainScreen as Component };
