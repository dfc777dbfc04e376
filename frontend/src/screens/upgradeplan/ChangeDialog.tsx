/** The consequences and the cost of a plan change, for confirmation. */
import { Button, Group, Stack } from "@mantine/core";
import { creditsOf, subscriptionOf, useAccount } from "../../api/account";
import type { Preview } from "../../api/billing";
import { BusyButton } from "../../components/ui/BusyButton";
import { Dialog } from "../../components/ui/Dialog";
import { useLast } from "../../components/useLast";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { cents } from "../../lib/money";
import { numberText } from "../../lib/locale";
import { CREDIT_OF, KINDS } from "../../domain/reveal";
import { planCredits } from "../../domain/planchange";
import { Losses, endsCredits } from "./Losses";
import type { Question } from "./question";
import classes from "./UpgradePlan.module.css";
import type { PlanChange } from "./usePlanChange";

type Asked = Exclude<Question, { kind: "limit" }>;

export function ChangeDialog({ change }: { change: PlanChange }) {
  const { question, close } = change;
  const asked = question?.kind === "limit" ? null : question;
  const shown = useLast(asked);
  return (
    <Dialog opened={asked !== null} onClose={close} title={shown && titleOf(shown)}>
      {shown && <Body asked={shown} change={change} />}
    </Dialog>
  );
}

function Body({ asked, change }: { asked: Asked; change: PlanChange }) {
  return (
    <Stack className={classes.dialog}>
      <p>{textOf(asked)}</p>
      {(asked.kind === "upgrade" || asked.kind === "downgrade") && <Bill preview={asked.preview} now={asked.kind === "upgrade"} />}
      {asked.kind === "upgrade" && <CreditTable asked={asked} />}
      <Losses asked={asked} />
      <Group justify="flex-end">
        <Button variant="default" onClick={change.close}>
          {t("cancel")}
        </Button>
        {asked.kind === "subscribe" && asked.keepable && (
          <BusyButton variant="default" busy={change.busy} onClick={() => change.keep(asked.present)}>
            {t("plans.keepPresent", { present: asked.present.name })}
          </BusyButton>
        )}
        <BusyButton busy={change.busy} onClick={change.confirm} data-autofocus>
          {confirmOf(asked)}
        </BusyButton>
      </Group>
    </Stack>
  );
}

function titleOf({ kind, plan: { name } }: Asked): string {
  if (kind === "upgrade") return t("plans.upgradeTitle", { name });
  if (kind === "downgrade" || kind === "freelater") return t("plans.downgradeTitle", { name });
  if (kind === "resume") return t("plans.resumeTitle", { name });
  if (kind === "subscribe") return t("plans.restTitle", { name });
  return t("plans.freeTitle", { name });
}

function textOf(asked: Asked): string {
  if (asked.kind === "subscribe") return t("plans.restText", { present: asked.present.name, date: dayText(asked.rest.until) });
  if (!("preview" in asked)) return asked.kind === "free" ? t("plans.freeText") : t("plans.freeLater", { date: dayText(asked.until) });
  if (asked.kind === "upgrade") return t("plans.upgradeText");
  const date = dayText(asked.preview.dueon);
  return asked.kind === "downgrade" ? t("plans.downgradeText", { date }) : t("plans.resumeText", { date });
}

function confirmOf(asked: Asked): string {
  if (asked.kind === "downgrade" || asked.kind === "freelater") return t("plans.confirmDowngrade");
  if (asked.kind === "subscribe") return t("plans.subscribeAnyway");
  if (asked.kind !== "upgrade" || asked.preview.total <= 0) return t("plans.confirm");
  return t("plans.pay", { amount: cents(asked.preview.total, asked.preview.currency) });
}

/** The lines of the provider's preview, the amount due and its date. */
function Bill({ preview, now }: { preview: Preview; now: boolean }) {
  const { lines = [], total, currency, dueon } = preview;
  return (
    <dl className={classes.bill}>
      {lines.map(({ description, amount }, index) => (
        <div key={index}>
          <dt>{description}</dt>
          <dd>{cents(amount, currency)}</dd>
        </div>
      ))}
      <div className={classes.total}>
        <dt>{now ? t("plans.dueToday") : t("plans.dueOn", { date: dayText(dueon) })}</dt>
        <dd>{cents(total, currency)}</dd>
      </div>
    </dl>
  );
}

/** The credits of each kind before and after an upgrade, which may end the old plan's and brings the new one's. */
function CreditTable({ asked }: { asked: Extract<Asked, { kind: "upgrade" | "downgrade" | "resume" }> }) {
  const me = useAccount();
  const now = creditsOf(me);
  const present = subscriptionOf(me)?.subscriptionplan_by_planid;
  const brought = asked.preview.credits;
  if (!now || !present || !brought) return null;
  const ended = endsCredits(asked, present) ? planCredits(now) : null;
  return (
    <table className={classes.credits}>
      <thead>
        <tr>
          <th scope="col">{t("plans.credits")}</th>
          <th scope="col">{t("plans.now")}</th>
          <th scope="col">{t("plans.afterwards")}</th>
        </tr>
      </thead>
      <tbody>
        {KINDS.map((kind) => (
          <tr key={kind}>
            <th scope="row">{t(`kind.${kind}`)}</th>
            <td>{numberText(now[CREDIT_OF[kind]])}</td>
            <td>{numberText(now[CREDIT_OF[kind]] - (ended?.[kind] ?? 0) + brought[CREDIT_OF[kind]])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
