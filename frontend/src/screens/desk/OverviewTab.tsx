/** Company, plan, credits, usage and custom plans of a client, with the actions on them. */
import { Badge, Button, Group, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Fragment, type ReactNode, useState } from "react";
import { toast } from "../../../shared/toasts";
import { KINDS, type Overview, useDesk } from "../../api/desk";
import { PhoneText } from "../../components/PhoneText";
import { Card } from "../../components/ui/Card";
import { eventText } from "../../domain/event";
import { countryName } from "../../lib/countryname";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.desk";
import { numberText } from "../../lib/locale";
import { ActionDialog } from "./ActionDialog";
import { CreditsDialog } from "./CreditsDialog";
import desk from "./Desk.module.css";

type CustomPlan = Overview["customplans"][number];

export function OverviewTab({ of }: { of: Overview }) {
  const [changing, { open, close }] = useDisclosure();
  const balances = of.credits[0];
  return (
    <div className={desk.cards}>
      <Card title={t("client.company")} landmark>
        <Facts
          of={[
            [t("client.subscription"), planText(of)],
            [t("client.country"), of.client.country && countryName(of.client.country)],
            [t("client.phone"), of.client.phonenumber && <PhoneText key="phone" value={`+${of.client.phonenumber.replace(/^\+/, "")}`} />],
            [t("client.customer"), of.client.stripe_custid],
          ]}
        />
      </Card>
      <Card
        title={t("credits.title")}
        landmark
        action={
          <Button size="sm" variant="default" onClick={open}>
            {t("credits.open")}
          </Button>
        }
      >
        <Facts of={KINDS.map((kind) => [t(`kinds.${kind}`), numberText(balances?.[kind] ?? 0)])} />
      </Card>
      <Card title={t("client.usage")} landmark>
        <Facts of={of.reveals.length ? of.reveals.map(({ kind, count }) => [t(`kinds.${kind}`), numberText(count)]) : [[t("kinds.contactcredit"), "0"]]} />
      </Card>
      <Card title={t("client.customPlans")} text={t("client.customText")} landmark>
        <Stack gap="xs">
          {of.customplans.map((plan) => (
            <Plan key={plan.planid} plan={plan} clientid={of.client.clientid} />
          ))}
        </Stack>
      </Card>
      {changing && balances && <CreditsDialog clientid={of.client.clientid} balances={balances} onClose={close} />}
    </div>
  );
}

function planText({ subscriptions }: Overview): string {
  const live = subscriptions.find(({ isactive }) => isactive);
  if (!live) return t("client.noPlan");
  const date = dayText(live.expirydate);
  return `${live.plan}, ${eventText(live.status).toLowerCase()}, ${live.autorenew ? t("client.renews", { date }) : t("client.until", { date })}`;
}

function Facts({ of }: { of: (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className={desk.facts}>
      {of.map(([label, value]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd>{value || t("none")}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

function Plan({ plan, clientid }: { plan: CustomPlan; clientid: number }) {
  const [asking, setAsking] = useState(false);
  const change = useDesk("plan");
  const close = () => setAsking(false);
  const confirm = (reason: string) =>
    change.mutate(
      { clientid, planid: plan.planid, assigned: !plan.assigned, reason },
      {
        onSuccess: () => {
          toast(t("client.planDone"));
          close();
        },
      },
    );
  const word = plan.assigned ? "withdraw" : "assign";
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap">
      <span>
        {plan.name} {plan.assigned && <Badge color="pine">{t("client.assigned")}</Badge>}
      </span>
      <Button size="compact-sm" variant="default" aria-label={t(`client.${word}Title`, { plan: plan.name })} onClick={() => setAsking(true)}>
        {t(`client.${word}`)}
      </Button>
      {asking && (
        <ActionDialog
          title={t(`client.${word}Title`, { plan: plan.name })}
          text={t(`client.${word}Text`)}
          confirm={t(`client.${word}`)}
          danger={plan.assigned}
          busy={change.isPending}
          error={change.error}
          onClose={close}
          onConfirm={confirm}
        />
      )}
    </Group>
  );
}
