/** A QR code that dials the number. Import it lazily, because it is rarely opened. */
import { encode } from "uqr";
import { t } from "../lib/i18n.dashboard";
import classes from "./DialCode.module.css";

export default function DialCode({ value }: { value: string }) {
  const { data, size } = encode(`tel:${value}`, { border: 2 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <figure className={classes.code}>
      <svg viewBox={`0 0 ${size} ${size}`} width={168} height={168} role="img" aria-label={t("search.dialCode", { value })}>
        <rect width={size} height={size} className={classes.paper} />
        <path d={path} className={classes.ink} />
      </svg>
      <figcaption>{t("search.dialHint")}</figcaption>
    </figure>
  );
}
