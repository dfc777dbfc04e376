/** The number of people revealed recently, compared with the period before. */
import { Skeleton } from "@mantine/core";
import { Minus, TrendingDown, TrendingUp } from "lucide-react";
import { Stat } from "../../components/ui/Stat";
import { type Period, changeOf } from "../../domain/reveals";
import { t } from "../../lib/i18n.dashboard";
import classes from "./DashboardMain.module.css";
import { countText } from "../../lib/locale";
import { type Days, useRevealed } from "./useRevealed";

export function RevealedStat({ days, team }: { days: Days; team: boolean }) {
  const { query, period } = useRevealed(days, team);
  return (
    <Stat
      label={t("home.stat")}
      value={query.isPending ? <Skeleton height={32} width={72} my={4} /> : countText(period?.total)}
      unit={period && ` ${t("home.people", { count: period.total })}`}
      note={period ? t("home.valuesIn", { count: period.values, days }) : t("home.lastDays", { days })}
      detail={period && <Change period={period} days={Number(days)} />}
    />
  );
}

function Change({ period, days }: { period: Period; days: number }) {
  const change = changeOf(period);
  const Icon = !change ? Minus : change > 0 ? TrendingUp : TrendingDown;
  const text =
    change === null
      ? t("home.noneBefore", { days })
      : change === 0
        ? t("home.same", { days })
        : t(change > 0 ? "home.more" : "home.less", { percent: Math.abs(change), days });
  return (
    <p className={classes.change} data-up={(change ?? 0) > 0 || undefined}>
      <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
      {text}
    </p>
  );
}
