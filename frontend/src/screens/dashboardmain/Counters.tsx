/** What the company has found so far, in numbers that lead to their lists. */
import { Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "react-router";
import { isOwner, useAccount } from "../../api/account";
import { t } from "../../lib/i18n.dashboard";
import classes from "./DashboardMain.module.css";
import { countText } from "../../lib/locale";
import { NotLoaded } from "./NotLoaded";

const CONTACTS = "/dashboard/main/mycontacts";
const COUNTERS = [
  ["contacts", CONTACTS, false],
  ["phones", `${CONTACTS}?phone=1`, false],
  ["workemails", `${CONTACTS}?email=1`, false],
  ["personalemails", CONTACTS, false],
  ["members", "/dashboard/settings/manageseats", true],
  ["apikeys", "/dashboard/settings/api", true],
] as const;

export function Counters({ counters }: { counters: UseQueryResult<Record<string, number>> }) {
  const owns = isOwner(useAccount());
  return (
    <section className={classes.card} aria-label={t("home.counters")}>
      <h2>{t("home.counters")}</h2>
      <dl className={classes.counters}>
        {COUNTERS.map(([name, to, ownersOnly]) => (
          <div key={name}>
            <dt>{ownersOnly && !owns ? t(`counter.${name}`) : <Link to={to}>{t(`counter.${name}`)}</Link>}</dt>
            <dd>{counters.isPending ? <Skeleton height={24} width={48} /> : countText(counters.data?.[name])}</dd>
          </div>
        ))}
      </dl>
      <NotLoaded query={counters} />
    </section>
  );
}
