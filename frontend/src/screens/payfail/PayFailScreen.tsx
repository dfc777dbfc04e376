/** The payment did not go through. */
import { CircleX } from "lucide-react";
import { subscriptionOf, useAccount } from "../../api/account";
import { Title } from "../../components/Title";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Outcome } from "../../components/ui/Outcome";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";

/** The plan that stays active. */
function factsOf(present: ReturnType<typeof subscriptionOf>): [string, string][] {
  const plan = present?.subscriptionplan_by_planid;
  if (!present || !plan) return [];
  return [[t("billing.plan"), plan.name], ...(present.expirydate ? ([[t("pay.until"), dayText(present.expirydate)]] as [string, string][]) : [])];
}

export function PayFailScreen() {
  const present = subscriptionOf(useAccount());
  return (
    <>
      <Title text={t("pay.failTitle")} />
      <Outcome
        tone="bad"
        icon={<CircleX size={24} strokeWidth={1.75} aria-hidden="true" />}
        title={t("pay.failTitle")}
        text={
          <>
            <p>{t("pay.failText")}</p>
            <p>{t("pay.failNote")}</p>
          </>
        }
        facts={factsOf(present)}
        actions={
          <>
            <ButtonLink to="/dashboard/upgradeplan" role="button">{t("pay.toPlans")}</ButtonLink>
            <ButtonLink to="/dashboard/scheduledemo" role="button" variant="default">{t("pay.contact")}</ButtonLink>
          </>
        }
      />
    </>
  );
}

export { PayFailScreen as Component };
