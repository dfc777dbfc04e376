/** The company's results so far, as numbers that link to their lists. */
import { Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "react-router";
import { isOwner, useAccount } from "../../api/account";
import { t } from "../../lib/i18n.dashboard";
import classes from "./DashboardMain.module.css";
import { countText } from "../../lib/locale";
import { NotLoaded } from "./NotLoaded";

// The numbers are the company's; only its owner can open the lists.
const CONTACTS = "/dashboard/main/mycontacts?by=team";
const COUNTERS = [
  ["contacts", CONTACTS],
  ["phones", `${CONTACTS}&phone=1`],
  ["workemails", `${CONTACTS}&email=1`],
  ["personalemails", `${CONTACTS}&personal=1`],
  ["members", "/dashboard/settings/manageseats"],
  ["apikeys", "/dashboard/settings/api"],
] as const;

export function Counters({ counters }: { counters: UseQueryResult<Record<string, number>> }) {
  const owns = isOwner(useAccount());
  return (
    <section className={classes.card} aria-label={t("home.counters")}>
      <h2>{t("home.counters")}</h2>
      <dl className={classes.counters}>
        {COUNTERS.map(([name, to]) => (
          <div key={name}>
            <dt>{owns ? <Link to={to}>{t(`counter.${name}`)}</Link> : t(`counter.${name}`)}</dt>
            <dd>{counters.isPending ? <Skeleton height={24} width={48} /> : countText(counters.data?.[name])}</dd>
          </div>
        ))}
      </dl>
      <NotLoaded query={counters} />
    </section>
  );
}
