/** Reveals per day, of this person or of the team, compared with the previous period. */
import { Center, Group, Skeleton, Text } from "@mantine/core";
import { isOwner, useAccount } from "../../api/account";
import { BarChart } from "../../components/ui/BarChart";
import { Segment } from "../../components/ui/Segment";
import { t } from "../../lib/i18n.dashboard";
import classes from "./DashboardMain.module.css";
import { NotLoaded } from "./NotLoaded";
import { countText } from "../../lib/locale";
import { type Days, WINDOWS, useRevealed } from "./useRevealed";

interface Props {
  days: Days;
  onDays: (days: Days) => void;
  team: boolean;
  onTeam: (team: boolean) => void;
}

const WHOSE = [
  { value: "me", label: t("home.mine") },
  { value: "team", label: t("home.team") },
] as const;

export function RevealedCard({ days, onDays, team, onTeam }: Props) {
  const owns = isOwner(useAccount());
  const { query, period } = useRevealed(days, team);
  const [first, last] = [period?.points[0], period?.points.at(-1)];

  return (
    <section className={classes.card} aria-label={t("home.revealed")}>
      <Group component="header" justify="space-between" align="flex-start" gap="var(--s-2) var(--s-4)" role="presentation">
        <div>
          <h2>{t("home.revealed")}</h2>
          <Text c="dimmed" size="sm">
            <span role="status">{query.isPending || query.isPlaceholderData ? "\u00a0" : period ? t(team ? "home.teamText" : "home.revealedText", { count: period.total }) : countText(undefined)}</span>
          </Text>
        </div>
        <Group align="stretch" gap="xs">
          {owns && <Segment label={t("home.whose")} options={WHOSE} value={team ? "team" : "me"} onChange={(whose) => onTeam(whose === "team")} />}
          <Segment
            label={t("home.window")}
            options={WINDOWS.map((value) => ({ value, label: t("home.lastDays", { days: value }) }))}
            value={days}
            onChange={onDays}
          />
        </Group>
      </Group>
      <div className={classes.chart} data-stale={query.isPlaceholderData || undefined}>
        {query.isPending && <Skeleton height="100%" />}
        {period && first && last && period.total === 0 && period.before === 0 && <Center component="p" mih="var(--chart-h)" c="dimmed">{t("home.noneYet")}</Center>}
        {period && first && last && period.total + period.before > 0 && (
          <BarChart
            label={t("home.chart", { from: first.label, to: last.label })}
            points={period.points}
            unit={t("home.reveals")}
            beforeUnit={t("home.revealsBefore")}
            beforeKey={t("home.periodBefore")}
          />
        )}
      </div>
      <NotLoaded query={query} />
    </section>
  );
}
