/** One balance over the last month and until the renewal, which is a line. Only the owner may read the ledger. */
import { Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { creditsOf, useAccount } from "../../api/account";
import { pace } from "../../api/dashboard";
import { creditDays } from "../../api/history";
import { BarChart } from "../../components/ui/BarChart";
import { Segment } from "../../components/ui/Segment";
import stat from "../../components/ui/Stat.module.css";
import { burndown } from "../../domain/burndown";
import { PACE_DAYS, forecast } from "../../domain/forecast";
import { CREDIT_OF, KINDS, type Kind } from "../../domain/reveal";
import { briefDayText, dayText, daysAgo, parseDate } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { numberText } from "../../lib/locale";

const OPTIONS = KINDS.map((value) => ({ value, label: t(`kind.${value}`) }));

interface Props {
  kind: Kind;
  onKind: (kind: Kind) => void;
}

export default function BurnDown({ kind, onKind }: Props) {
  const me = useAccount();
  const days = useQuery(creditDays(daysAgo(PACE_DAYS)));
  const rate = useQuery(pace);
  const left = creditsOf(me)?.[CREDIT_OF[kind]] ?? 0;
  const spent = rate.data?.spent?.[CREDIT_OF[kind]] ?? 0;
  const renewson = rate.data?.autorenew ? parseDate(rate.data.renewson) : null;
  const changes = new Map(days.data?.resource.filter((row) => row.kind === CREDIT_OF[kind]).map(({ day, delta }) => [day, delta]));
  const points = burndown({ left, changes, spent, renewson });
  const renewal = points.at(-1)!.ahead ? points.length - 1 : undefined;
  const end = forecast(left, spent, renewson);
  if (days.isError || rate.isError) return null; // the ledger says why
  return (
    <section className={stat.headed} aria-label={t("ledger.burndown")}>
      <Group component="header" justify="space-between" align="flex-start" gap="var(--s-2) var(--s-4)" role="presentation">
        <div>
          <h2>{t("ledger.burndown")}</h2>
          <Text c={end?.short ? "var(--warn)" : "dimmed"} size="sm">
            {end?.short
              ? t("menu.runsOut", { kind: t(`kinds.${kind}`), date: briefDayText(end.until) })
              : renewal === undefined
                ? t("ledger.leftNow", { left: numberText(left) })
                : t("ledger.leftThen", { left: numberText(points[renewal]!.value), date: briefDayText(points[renewal]!.day) })}
          </Text>
        </div>
        <Segment label={t("ledger.kind")} options={OPTIONS} value={kind} onChange={onKind} />
      </Group>
      {days.isPending || rate.isPending ? (
        <Skeleton height="calc(var(--chart-h) + var(--s-6))" />
      ) : (
        <BarChart
          label={t("ledger.burndownOf", { kind: t(`kind.${kind}`), from: dayText(points[0]!.day), to: dayText(points.at(-1)!.day) })}
          points={points.map(({ day, value, ahead }) => ({ label: dayText(day), value, ahead }))}
          joined
          unit={t("ledger.left")}
          aheadUnit={t("ledger.expected")}
          {...(renewal !== undefined && { mark: { at: renewal, text: t("ledger.renewal") } })}
        />
      )}
    </section>
  );
}
