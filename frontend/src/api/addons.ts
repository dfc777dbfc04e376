/** Buying an add-on: the payment, and the mail with its receipt. */
import { redirectTo } from "../lib/redirect";
import { bankVisited } from "../stores/bankvisit";
import { ApiError } from "./errors";
import { runScript } from "./scripts";

/** Pays for an add-on. Returns false if the bank's page was opened instead; that page returns to the add-ons. */
export async function payAddon(clientid: number, planid: number, tokenid: string): Promise<boolean> {
  const { result } = await runScript("addonpayment", { clientid, tokenid, planid });
  if (result.requires_action) {
    if (!result.url) throw new ApiError(402, "", 402, { reason: "card_refused", scope: "resource" });
    bankVisited(planid);
    redirectTo(result.url);
    return false;
  }
  // A receipt that could not be mailed does not undo the payment; it can be requested again under Billing.
  await runScript("addoncredits_email", { transactionid: result.transactionid }).catch(() => undefined);
  return true;
}

/** Creates a payment that the card form confirms in the browser. */
export async function beginAddon(planid: number): Promise<{ clientsecret: string; paymentintentid: string }> {
  return (await runScript("addonpaymentintent", { planid })).result;
}

/** Whether the bank or the payment provider declined, so that nothing was paid. */
export const isDeclined = (error: unknown): boolean => error instanceof ApiError && error.status === 402;
