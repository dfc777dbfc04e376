/** The button of a plan in each of its states. */
import { Button } from "@mantine/core";
import { canPay } from "../../api/config";
import type { Plan } from "../../api/types";
import { BusyButton } from "../../components/ui/BusyButton";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { t } from "../../lib/i18n.dashboard";
import { type Offer, isFree } from "../../domain/planchange";
import type { PlanChange } from "./usePlanChange";

interface Props {
  plan: Plan;
  offer: Offer;
  change: PlanChange;
  /** The suggested plan. */
  suggested?: boolean;
}

export function PlanButton({ plan, offer, change, suggested = false }: Props) {
  if (offer === "current") {
    return (
      <Button fullWidth variant="light" disabled>
        {t("plans.current")}
      </Button>
    );
  }
  if (offer === "contact") {
    return <ButtonLink fullWidth variant="default"  to="/dashboard/scheduledemo" role="button">{t("plans.contact")}</ButtonLink>;
  }
  if (!canPay() && !isFree(plan)) {
    return (
      <Button fullWidth variant="default" disabled>
        {t("plans.off")}
      </Button>
    );
  }
  return (
    <BusyButton
      fullWidth
      variant={suggested ? "filled" : "default"}
      busy={change.looking === plan.planid}
      disabled={change.looking !== null && change.looking !== plan.planid}
      onClick={() => change.choose(plan)}
    >
      {t(`plans.${offer}`)}
    </BusyButton>
  );
}
