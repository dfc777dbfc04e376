/** A thin bar of what is used: amber over 80 %, red at 100 %.

 `used`, `total`  a total of 0 counts as used up
 `label`          its name where no text beside it says the same; without one the bar is decoration
*/
import classes from "./Meter.module.css";

export function Meter({ used, total, label }: { used: number; total: number; label?: string }) {
  const share = total > 0 ? Math.min(1, Math.max(0, used / total)) : 1;
  const tone = share >= 1 ? "over" : share > 0.8 ? "near" : undefined;
  const name = label ? { role: "meter", "aria-label": label, "aria-valuenow": used, "aria-valuemin": 0, "aria-valuemax": total } : { "aria-hidden": true };
  return (
    <div className={classes.meter} data-tone={tone} {...name}>
      <div className={classes.fill} style={{ inlineSize: `${share * 100}%` }} />
    </div>
  );
}
