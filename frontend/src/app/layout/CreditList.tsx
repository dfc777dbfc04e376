/** The three balances as thin meters, in the foot of the menu. */
import { useMaybeAccount } from "../../api/account";
import { Meter } from "../../components/ui/Meter";
import { KINDS } from "../../domain/reveal";
import { t } from "../../lib/i18n.dashboard";
import { numberText } from "../../lib/locale";
import classes from "./CreditList.module.css";
import { creditLines } from "./credits";

export function CreditList() {
  const me = useMaybeAccount();
  const lines = me ? creditLines(me) : KINDS.map((kind) => ({ kind, left: null, total: 1 }));
  return (
    <section className={classes.box} aria-label={t("menu.credits")} aria-busy={!me}>
      <h2 className={classes.title}>{t("menu.credits")}</h2>
      <dl className={classes.list}>
        {lines.map(({ kind, left, total }) => (
          <div key={kind} data-empty={left === 0 || undefined} title={left === null ? undefined : t("menu.creditsOf", { left, total })}>
            <dt>{t(`kind.${kind}`)}</dt>
            {left === null ? <dd className={classes.unknown} /> : <CountDown value={left} />}
            <Meter used={total - (left ?? total)} total={total} />
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The number; a new one slides in, so that a payment is seen. */
function CountDown({ value }: { value: number }) {
  return (
    <dd key={value} className={classes.count}>
      {numberText(value)}
    </dd>
  );
}
