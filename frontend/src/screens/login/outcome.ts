/** The outcome of a sign-in, by password or by a provider. */
import type { ApiError } from "../../api/errors";
import type { Account } from "../../api/types";
import { t } from "../../lib/i18n";
import { CHANGE_PASSWORD, afterSignIn } from "../../lib/returnto";
import { currentSession } from "../../stores/session";

const HOME = "/dashboard/main/dashboardmain";

const DESK = "/desk";

/** The target of a sign-in. `state` is the sign-in's history state, which may contain the originally requested page. */
export function wayIn(state: unknown, me?: Pick<Account, "mustchangepassword">): string {
  if (currentSession()?.staff) return DESK;
  return me?.mustchangepassword ? CHANGE_PASSWORD : afterSignIn(state, HOME);
}

/** Whether a sign-in failed for a reason other than what was entered. */
export const isTrouble = ({ status }: ApiError): boolean => status === 0 || status === 429 || status >= 500;

/** Why a sign-in is rejected, by the server's code. */
export const ERRORS: Record<number, string> = {
  800: t("session.disabled"),
  801: t("session.removed"),
  802: t("session.unverified"),
  803: t("session.notAccepted"),
};
