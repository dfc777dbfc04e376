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
  if (!me) return <Unknown />;
  return (
    <section className={classes.box} aria-label={t("menu.credits")}>
      <h2 className={classes.title}>{t("menu.credits")}</h2>
      <dl className={classes.list}>
        {creditLines(me).map(({ kind, left, total }) => (
          <div key={kind} data-empty={left === 0 || undefined} title={t("menu.creditsOf", { left, total })}>
            <dt>{t(`kind.${kind}`)}</dt>
            <CountDown value={left} />
            <Meter left={left} total={total} />
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The same lines before there are numbers, so that nothing moves. */
function Unknown() {
  return (
    <div className={classes.box} aria-hidden="true">
      <p className={classes.title}>{t("menu.credits")}</p>
      <div className={classes.list}>
        {KINDS.map((kind) => (
          <div key={kind}>
            <span>{t(`kind.${kind}`)}</span>
            <span className={classes.unknown} />
            <Meter left={1} total={1} />
          </div>
        ))}
      </div>
    </div>
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
