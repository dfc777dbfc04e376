/** The lines of a pasted text that are not looked up, and why. */
import type { LeftOut } from "../../domain/ask";
import { t } from "../../lib/i18n.people";
import classes from "./BulkLookup.module.css";

export function Left({ left: { wrong, doubles } }: { left: LeftOut }) {
  const parts = [wrong > 0 && t("bulk.wrongLines", { count: wrong }), doubles > 0 && t("bulk.doubles", { count: doubles })].filter(Boolean);
  return parts.length > 0 && <p className={classes.dim}>{parts.join(" ")}</p>;
}
