/** How many contacts this person revealed in the last days, in all and day by day. */
import { SegmentedControl, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAccount } from "../../api/account";
import { revealCount } from "../../api/dashboard";
import { daysAgo, daysSince } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import classes from "./DashboardMain.module.css";
import { NotLoaded } from "./NotLoaded";
import { RevealedChart } from "./RevealedChart";

const WINDOWS = [7, 30, 90];

export function RevealedCard() {
  const me = useAccount();
  const [days, setDays] = useState(7);
  const from = daysAgo(days);
  const found = useQuery(revealCount(me.appuserid, from));
  const counts = new Map(found.data?.days?.map(({ date, count }) => [date, count]));

  return (
    <section className={classes.card} data-wide aria-label={t("home.revealed")}>
      <div className={classes.revealed}>
        <p className={classes.eyebrow}>{t("home.revealed")}</p>
        <SegmentedControl
          size="xs"
          aria-label={t("home.window")}
          data={WINDOWS.map((one) => ({ value: String(one), label: t("home.lastDays", { days: one }) }))}
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
        />
      </div>
      <div className={classes.trend}>
        <div>
          {found.isPending ? (
            <Skeleton height={40} width={90} />
          ) : (
            <p className={classes.big} role="status">
              {found.isError ? "–" : found.data.totalrevealcount.toLocaleString("en-US")}
            </p>
          )}
          <p className={classes.dim}>{t("home.revealedText")}</p>
        </div>
        <RevealedChart days={daysSince(from).map((date) => ({ date, count: counts.get(date) ?? 0 }))} />
      </div>
      <NotLoaded query={found} />
    </section>
  );
}
