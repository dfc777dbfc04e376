/** A thin bar showing the remaining share: full when unused, amber with less than 20 % left, red with nothing left.

 `left`, `total`  a total of 0 counts as used up
 `used`           show the used share instead, next to a text that names it
 `tick`           the forecast share left at the renewal
 `label`          its name if no adjacent text says the same; without one the bar is decorative
*/
import classes from "./Meter.module.css";

const LOW = 0.2;

interface Props {
  left: number;
  total: number;
  used?: boolean;
  label?: string;
  tick?: number | null | undefined;
}

export function Meter({ left, total, used = false, label, tick }: Props) {
  const share = total > 0 ? Math.min(1, Math.max(0, left / total)) : 0;
  const tone = share <= 0 ? "over" : share < LOW ? "near" : undefined;
  const name = label ? { role: "meter", "aria-label": label, "aria-valuenow": left, "aria-valuemin": 0, "aria-valuemax": total } : { "aria-hidden": true };
  return (
    <div className={classes.meter} data-tone={tone} {...name}>
      <div className={classes.fill} style={{ inlineSize: `${(used ? 1 - share : share) * 100}%` }} />
      {typeof tick === "number" && <div className={classes.tick} style={{ insetInlineStart: `${Math.min(1, tick) * 100}%` }} />}
    </div>
  );
}
