/** One add-on as a row: its contents, the price of one number, its price and Buy. */
import { Badge, Button } from "@mantine/core";
import { canPay } from "../../api/config";
import type { Plan } from "../../api/types";
import { priceEach } from "../../domain/addons";
import { planText } from "../../domain/plantexts";
import { t } from "../../lib/i18n.dashboard";
import { dollars, smallAmount } from "../../lib/money";
import classes from "./CreditAddons.module.css";

export function AddonRow({ plan, best, onBuy }: { plan: Plan; best: boolean; onBuy: () => void }) {
  const each = priceEach(plan);
  const name = planText(plan.name);
  return (
    <article className={classes.row} aria-label={name}>
      <div className={classes.what}>
        <h2>
          {name} {best && <Badge variant="light">{t("addons.best")}</Badge>}
        </h2>
        {plan.details && <p>{planText(plan.details)}</p>}
      </div>
      <div className={classes.amount}>
        <div className={classes.price}>{dollars(plan.price)}</div>
        {each !== null && <p>{t("addons.each", { price: smallAmount(each) })}</p>}
      </div>
      <Button variant="default" disabled={!canPay()} onClick={onBuy}>
        {canPay() ? t("addons.buy") : t("plans.off")}
      </Button>
    </article>
  );
}
