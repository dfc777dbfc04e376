/** The payment did not go through. */
import { Button } from "@mantine/core";
import { CircleX } from "lucide-react";
import { Link } from "react-router";
import { Title } from "../../components/Title";
import { Outcome } from "../../components/ui/Outcome";
import { t } from "../../lib/i18n.dashboard";

export function PayFailScreen() {
  return (
    <>
      <Title text={t("pay.failTitle")} />
      <Outcome
        tone="bad"
        icon={<CircleX size={24} strokeWidth={1.75} aria-hidden="true" />}
        title={t("pay.failTitle")}
        text={t("pay.failText")}
        actions={
          <>
            <Button component={Link} to="/dashboard/upgradeplan" role="button">
              {t("pay.toPlans")}
            </Button>
            <Button component={Link} to="/dashboard/scheduledemo" role="button" variant="default">
              {t("pay.contact")}
            </Button>
          </>
        }
      />
    </>
  );
}

export { PayFailScreen as Component };
