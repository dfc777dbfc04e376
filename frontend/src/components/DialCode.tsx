/** A QR code that dials the number. Import it lazily, because it is rarely opened. */
import { t } from "../lib/i18n.dashboard";
import classes from "./DialCode.module.css";
import { QrCode } from "./QrCode";

export default function DialCode({ value }: { value: string }) {
  return (
    <figure className={classes.code}>
      <QrCode value={`tel:${value}`} label={t("search.dialCode", { value })} />
      <figcaption>{t("search.dialHint")}</figcaption>
    </figure>
  );
}
