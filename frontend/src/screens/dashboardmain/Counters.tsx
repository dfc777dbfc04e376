/** What the company has found so far, in numbers. */
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { AtSign, Briefcase, KeyRound, Phone, Users, UsersRound } from "lucide-react";
import { appCounters } from "../../api/dashboard";
import { t } from "../../lib/i18n.dashboard";
import classes from "./DashboardMain.module.css";
import { NotLoaded } from "./NotLoaded";

const COUNTERS = [
  ["contacts", Users],
  ["phones", Phone],
  ["workemails", Briefcase],
  ["personalemails", AtSign],
  ["members", UsersRound],
  ["apikeys", KeyRound],
] as const;

export function Counters() {
  const counters = useQuery(appCounters);
  return (
    <section className={classes.card} data-full aria-label={t("home.counters")}>
      <p className={classes.eyebrow}>{t("home.counters")}</p>
      <dl className={classes.counters}>
        {COUNTERS.map(([name, Icon]) => (
          <div key={name}>
            <dt>
              <Icon size={16} aria-hidden="true" />
              {t(`counter.${name}`)}
            </dt>
            <dd>{counters.isPending ? <Skeleton height={26} width={48} /> : (counters.data?.[name]?.toLocaleString("en-US") ?? "–")}</dd>
          </div>
        ))}
      </dl>
      <NotLoaded query={counters} />
    </section>
  );
}
