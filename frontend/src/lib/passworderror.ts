/** The message for a new password that is not acceptable. */
import { t } from "./i18n";
import { passwordFault } from "./validate";

/** Returns null for an acceptable password; `short` is the screen's message for fewer than 8 characters. */
export function passwordError(text: string, short: string): string | null {
  const fault = passwordFault(text);
  if (fault === "short") return short;
  if (fault === "long") return t("field.passwordLong");
  return fault && t("field.passwordWeak");
}
