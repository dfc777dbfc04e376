/** One add-on as a row: its contents, the price of one number, its price and Buy. */
import { Badge, Box, Button } from "@mantine/core";
import { canPay } from "../../api/config";
import type { Plan } from "../../api/types";
import { monthsOf, priceEach } from "../../domain/addons";
import { planText } from "../../domain/plantexts";
import { t } from "../../lib/i18n.dashboard";
import { dollars, smallAmount } from "../../lib/money";
import { offers } from "../../texts/en/offers";
import classes from "./CreditAddons.module.css";

interface Props {
  plan: Plan;
  best: boolean;
  /** Credits for cell numbers that the account spent in the last 30 days. */
  spent: number;
  onBuy: () => void;
}

export function AddonRow({ plan, best, spent, onBuy }: Props) {
  const each = priceEach(plan);
  const name = planText(plan.name);
  const months = monthsOf(plan, spent);
  // The lead already states that bought credits do not expire.
  const own = plan.details === offers.offers.addon ? "" : planText(plan.details ?? "");
  const text = own || (months === null ? "" : t("addons.lasts", { count: months }));
  return (
    <article className={classes.row} aria-label={name}>
      <div className={classes.what}>
        <h2>
          {name} {best && <Badge variant="light">{t("addons.best")}</Badge>}
        </h2>
        {text && <p>{text}</p>}
      </div>
      <Box ta="end" className={classes.amount}>
        <div className={classes.price}>{dollars(plan.price)}</div>
        {each !== null && <p>{t("addons.each", { price: smallAmount(each) })}</p>}
      </Box>
      <Button variant="default" disabled={!canPay()} onClick={onBuy}>
        {canPay() ? t("addons.buy") : t("plans.off")}
      </Button>
    </article>
  );
}
