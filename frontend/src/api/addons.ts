/** Buying an add-on: the payment, and the mail with its receipt. */
import { leaveTo } from "../lib/leave";
import { bankVisited } from "../stores/bankvisit";
import { ApiError } from "./errors";
import { runScript } from "./scripts";

/** Pays for an add-on. `true`: it is paid. `false`: the bank's page has been opened, and leads back to the add-ons. */
export async function payAddon(clientid: number, planid: number, tokenid: string): Promise<boolean> {
  const { result } = await runScript("addonpayment", { clientid, tokenid, planid });
  if (result.requires_action) {
    if (!result.url) throw new ApiError(402, "", 402, { reason: "card_refused", scope: "resource" });
    bankVisited(planid);
    leaveTo(result.url);
    return false;
  }
  // The receipt can be asked for again under Billing; that it could not be mailed does not undo the payment.
  await runScript("addoncredits_email", { transactionid: result.transactionid }).catch(() => undefined);
  return true;
}

/** Creates a payment that the card form confirms in the browser. */
export async function beginAddon(planid: number): Promise<{ clientsecret: string; paymentintentid: string }> {
  return (await runScript("addonpaymentintent", { planid })).result;
}

/** The bank, or the provider for it, said no: nothing was paid. */
export const isDeclined = (error: unknown): boolean => error instanceof ApiError && error.status === 402;
