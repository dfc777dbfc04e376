/** The three balances, in the foot of the menu. */
import { creditsOf, useAccount } from "../../api/account";
import { t } from "../../lib/i18n.dashboard";
import classes from "./CreditList.module.css";

export function CreditList() {
  const credits = creditsOf(useAccount());
  const lines = [
    [t("kind.phone"), credits?.contactcredit],
    [t("kind.business"), credits?.bus_email_credits],
    [t("kind.personal"), credits?.personal_email_credits],
  ] as const;
  return (
    <section className={classes.box} aria-label={t("menu.credits")}>
      <h2 className={classes.title}>{t("menu.credits")}</h2>
      <dl className={classes.list}>
        {lines.map(([label, left = 0]) => (
          <div key={label} data-empty={left === 0 || undefined}>
            <dt>{label}</dt>
            <dd>{left.toLocaleString("en-US")}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
