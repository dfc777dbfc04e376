/** The payment did not go through. */
import { CircleX } from "lucide-react";
import { Outcome } from "../../components/Outcome";
import { Title } from "../../components/Title";
import { t } from "../../lib/i18n.dashboard";

export function PayFailScreen() {
  return (
    <>
      <Title text={t("pay.failTitle")} />
      <Outcome
        tone="bad"
        icon={<CircleX size={34} aria-hidden="true" />}
        title={t("pay.failTitle")}
        text={t("pay.failText")}
        to="/dashboard/upgradeplan"
        action={t("pay.toPlans")}
      />
    </>
  );
}

export { PayFailScreen as Component };
