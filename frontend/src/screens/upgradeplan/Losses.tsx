/** The losses that a plan change causes at once: paid days, plan credits, seats and API keys. */
import { Text } from "@mantine/core";
import { creditsOf, subscriptionOf, useAccount } from "../../api/account";
import type { Plan } from "../../api/types";
import { t } from "../../lib/i18n.dashboard";
import { dollars } from "../../lib/money";
import { numberText } from "../../lib/locale";
import { planCredits } from "../../domain/planchange";
import { KINDS } from "../../domain/reveal";
import { isMonthly } from "../../domain/subscription";
import type { Question } from "./question";
import classes from "./UpgradePlan.module.css";

export function Losses({ asked }: { asked: Exclude<Question, { kind: "limit" }> }) {
  const me = useAccount();
  const present = subscriptionOf(me)?.subscriptionplan_by_planid;
  if (!present || asked.kind === "resume" || asked.kind === "freelater") return null;
  const rest = "rest" in asked ? asked.rest : null;
  const left = planCredits(creditsOf(me));
  // The table of an upgrade has them.
  const ending = asked.kind !== "upgrade" && endsCredits(asked, present) ? KINDS.filter((kind) => left[kind] > 0) : [];
  const fewer = shrinks(asked.plan, present);
  if (!rest && ending.length === 0 && fewer.length === 0) return null;
  return (
    <div className={classes.bill} role="group" aria-label={t("plans.endsAtOnce")}>
      <strong>{t("plans.endsAtOnce")}</strong>
      <dl>
      {rest && (
        <Text component="div" inherit c="red">
          <dt>{t("plans.restDays", { count: rest.days, present: rest.name })}</dt>
          {rest.worth > 0 && <dd>{t("plans.restWorth", { amount: dollars(rest.worth.toFixed(2)) })}</dd>}
        </Text>
      )}
      {ending.map((kind) => (
        <Text key={kind} component="div" inherit c="red">
          <dt>{t(`kind.${kind}`)}</dt>
          <dd>−{numberText(left[kind])}</dd>
        </Text>
      ))}
      {fewer.map((one) => (
        <Text key={one.what} component="div" inherit c="red">
          <dt>{one.what}</dt>
          <dd>{t("plans.insteadOf", { now: one.now, before: one.before })}</dd>
        </Text>
      ))}
      </dl>
    </div>
  );
}

/** A new subscription, and an upgrade to another interval, begin a new period: the old one's credits end. */
export function endsCredits({ kind, plan }: Question, present: Plan): boolean {
  return kind === "subscribe" || kind === "free" || (kind === "upgrade" && isMonthly(plan) !== isMonthly(present));
}

function shrinks(plan: Plan, present: Plan) {
  const all = [
    { what: t("plans.seats"), now: plan.availableseats, before: present.availableseats },
    { what: t("plans.keys"), now: plan.availableapicall, before: present.availableapicall },
  ];
  return all.filter(({ now, before }) => now < before);
}
