/** The plan: name, price, renewal or end date, remaining credits. */
import { Box, Group, Text } from "@mantine/core";
import { Download } from "lucide-react";
import { Suspense, lazy } from "react";
import { creditsOf, isFreePlan, isOwner, subscriptionOf, useAccount } from "../../api/account";
import type { Credits, Subscription } from "../../api/types";
import { needsMore } from "../../app/layout/credits";
import { KIND_ICONS } from "../../components/kindIcons";
import { ButtonLink } from "../../components/ui/ButtonLink";
import stat from "../../components/ui/Stat.module.css";
import { dayText } from "../../lib/dates";
import { type TextKey, t } from "../../lib/i18n.dashboard";
import { EXTENSION_URL } from "../../lib/links";
import { CREDIT_OF, KINDS } from "../../domain/reveal";
import { type Standing, endOf, isMonthly, isOver, standingOf, termOf } from "../../domain/subscription";
import { numberText } from "../../lib/locale";
import { dollars } from "../../lib/money";
import classes from "./DashboardMain.module.css";

const Changes = lazy(() => import("./Changes"));

export function PlanCard() {
  const me = useAccount();
  const credits = creditsOf(me);
  const subscription = subscriptionOf(me);
  const plan = subscription?.subscriptionplan_by_planid;
  const standing = standingOf(subscription, credits);

  return (
    <section className={stat.stat} aria-label={t("home.subscription")}>
      <Box component="p" c="dimmed" fz="sm" fw="var(--fw-500)" lh="sm" className={stat.label}>{t("home.subscription")}</Box>
      <Group align="baseline" gap="0 var(--s-2)" className={classes.planHead}>
        <h2>{standing === "none" || !plan ? t("plan.none") : plan.name}</h2>
        {plan && standing !== "none" && <Price price={Number(plan.price)} monthly={isMonthly(plan)} />}
      </Group>
      {standing !== "none" && (
        <Text component="div" c="dimmed" size="sm">
          {notesOf(standing, subscription, credits).map((note) => (
            <p key={note} className={classes.standing} data-standing={note}>
              {note === "changing" ? (
                <Suspense fallback={t("plan.changes", { date: endOf(subscription) })}>
                  <Changes />
                </Suspense>
              ) : (
                t(NOTES[note], { date: note === "pastdue" ? dayText(subscription?.graceuntil) : endOf(subscription) })
              )}
            </p>
          ))}
        </Text>
      )}
      {credits && (
        <dl className={classes.credits}>
          {KINDS.map((kind) => {
            const Icon = KIND_ICONS[kind];
            return (
              <div key={kind} title={t(`kind.${kind}`)}>
                <dt>
                  <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
                  <span>{t(`kind.${kind}`)}</span>
                </dt>
                <dd>{numberText(credits[CREDIT_OF[kind]])}</dd>
              </div>
            );
          })}
        </dl>
      )}
      <Group gap="var(--s-1) var(--s-3)" mt="auto">
        {isOwner(me) && (
          <ButtonLink to="/dashboard/upgradeplan" role="button" size="sm" variant={standing === "active" || needsMore(me) ? "default" : "filled"}>
            {standing === "none" || standing === "expired" ? t("plan.subscribe") : isFreePlan(me) ? t("menu.viewPlans") : t("menu.upgrade")}
          </ButtonLink>
        )}
        <a href={EXTENSION_URL} download role="button" className={classes.extension} aria-label={t("menu.extension")} title={t("menu.extension")}>
          <Download size={16} strokeWidth={1.75} aria-hidden="true" />
          <span>{t("menu.extension")}</span>
        </a>
      </Group>
    </section>
  );
}

type Note = Exclude<Standing, "none"> | "changing";

/** The state of the plan: its renewal or end and, in red, missing cell number credits. */
function notesOf(standing: Exclude<Standing, "none">, subscription: Subscription | undefined, credits: Credits | undefined): Note[] {
  return termsOf(standing, subscription, credits).map((note) => (note === "active" && subscription?.downgrade_planid ? "changing" : note));
}

function termsOf(standing: Exclude<Standing, "none">, subscription: Subscription | undefined, credits: Credits | undefined): Note[] {
  if (standing === "expired" || !credits || !isOver(credits)) return [standing];
  const plan = subscription?.subscriptionplan_by_planid;
  const term = standing === "creditsover" && plan ? termOf(plan, subscription) : standing;
  return ["creditsover", term];
}

const NOTES: Record<Exclude<Note, "changing">, TextKey> = {
  expired: "plan.expired",
  pastdue: "plan.pastDue",
  cancelled: "plan.cancelled",
  ending: "plan.ends",
  trial: "plan.trial",
  creditsover: "plan.creditsOver",
  active: "plan.renews",
};

function Price({ price, monthly }: { price: number; monthly: boolean }) {
  if (price === 0) return <p className={classes.price}>{t("plan.free")}</p>;
  return (
    <p className={classes.price}>
      {price < 0 ? "∞" : dollars(price)} <span>{monthly ? t("plan.perMonth") : t("plan.perYear")}</span>
    </p>
  );
}
