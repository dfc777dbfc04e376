/** What a sign-in leads to, by password or by a provider. */
import { t } from "../../lib/i18n";

export const HOME = "/dashboard/main/dashboardmain";

/** For somebody who came in with the temporary password of an invitation. */
export const CHANGE_PASSWORD = "/dashboard/settings/password";

/** Why an account may not come in, by the code of the server. */
export const REFUSALS: Record<number, string> = {
  800: t("session.disabled"),
  801: t("session.removed"),
  802: t("session.unverified"),
  803: t("session.notAccepted"),
};
