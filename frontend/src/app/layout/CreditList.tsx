/** The three balances as thin meters at the bottom of the menu, and how long they will last. */
import { Box, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMaybeAccount } from "../../api/account";
import { pace } from "../../api/dashboard";
import { Meter } from "../../components/ui/Meter";
import { forecast, leftAtRenewal } from "../../domain/forecast";
import { CREDIT_OF, KINDS, type Kind } from "../../domain/reveal";
import { briefDayText, parseDate } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { numberText } from "../../lib/locale";
import classes from "./CreditList.module.css";
import { creditLines } from "./credits";

export function CreditList() {
  const me = useMaybeAccount();
  const { data } = useQuery({ ...pace, enabled: me !== undefined });
  if (!me) return <Unknown />;
  const lines = creditLines(me);
  const renewson = data?.autorenew ? parseDate(data.renewson) : null;
  const spentOf = (kind: Kind) => data?.spent?.[CREDIT_OF[kind]] ?? 0;
  const ends = lines.flatMap(({ kind, left }) => {
    const found = forecast(left, spentOf(kind), renewson);
    return found ? [{ kind, ...found }] : [];
  });
  const first = ends.toSorted((one, other) => one.until.localeCompare(other.until))[0];
  return (
    <section className={classes.box} aria-label={t("menu.credits")}>
      <Box component="h2" mb="sm" c="var(--on-sidebar)" fz="xs" fw="var(--fw-500)" lts={0} lh="xs" className={classes.title}>{t("menu.credits")}</Box>
      <Stack component="dl" gap="sm" m={0} className={classes.list}>
        {lines.map(({ kind, left, total }) => (
          <div key={kind} data-empty={left === 0 || undefined} title={t("menu.creditsOf", { left, total })}>
            <dt>{t(`kind.${kind}`)}</dt>
            <CountDown value={left} />
            <Meter left={left} total={total} tick={leftAtRenewal(left, spentOf(kind), total, renewson)} />
          </div>
        ))}
      </Stack>
      {first && (
        <p className={classes.forecast} data-short={first.short || undefined}>
          {t(first.short ? "menu.runsOut" : "menu.lasts", { kind: t(`kinds.${first.kind}`), date: briefDayText(first.until) })}
        </p>
      )}
    </section>
  );
}

/** The same lines before the numbers have loaded, so the layout does not shift. */
function Unknown() {
  return (
    <div className={classes.box} aria-hidden="true">
      <Box component="p" mb="sm" c="var(--on-sidebar)" fz="xs" fw="var(--fw-500)" lts={0} lh="xs" className={classes.title}>{t("menu.credits")}</Box>
      <Stack gap="sm" m={0} className={classes.list}>
        {KINDS.map((kind) => (
          <div key={kind}>
            <span>{t(`kind.${kind}`)}</span>
            <Box component="span" w="var(--s-6)" bdrs="var(--r-badge)" bg="var(--sidebar-line)" />
            <Meter left={1} total={1} />
          </div>
        ))}
      </Stack>
    </div>
  );
}

/** The number; a new one slides in, which makes a charge visible. */
function CountDown({ value }: { value: number }) {
  return (
    <dd key={value} className={classes.count}>
      {numberText(value)}
    </dd>
  );
}
