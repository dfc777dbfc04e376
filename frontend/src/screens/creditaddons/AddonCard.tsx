/** One add-on. */
import { Button } from "@mantine/core";
import { canPay } from "../../api/config";
import type { Plan } from "../../api/types";
import { t } from "../../lib/i18n.dashboard";
import { dollars } from "../../lib/money";
import classes from "./CreditAddons.module.css";

export function AddonCard({ plan, onBuy }: { plan: Plan; onBuy: () => void }) {
  return (
    <article className={classes.card} aria-label={plan.name}>
      <h2>{plan.name}</h2>
      <p className={classes.price}>{dollars(plan.price)}</p>
      {plan.details && <p className={classes.details}>{plan.details}</p>}
      <Button fullWidth disabled={!canPay()} variant={canPay() ? "filled" : "default"} onClick={onBuy}>
        {canPay() ? t("addons.buy") : t("plans.off")}
      </Button>
    </article>
  );
}
