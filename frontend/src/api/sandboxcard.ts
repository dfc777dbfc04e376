/** Exchanges a card for a token of the payment sandbox, as Stripe's script does. The API never receives the card. */
import { type TypedCard, expiryOf } from "../domain/card";
import { digitsOf } from "../lib/validate";
import { CardError } from "./carderror";
import { ApiError } from "./errors";

const METHODS = "/sandbox/stripe/v1/payment_methods";
// Valid only for this call to the sandbox.
const KEY = "pk_test_sandbox";

interface Answer {
  id?: string;
  error?: { message?: string; code?: string; decline_code?: string };
}

export async function sandboxToken({ number, expiry, cvc }: TypedCard): Promise<string> {
  const until = expiryOf(expiry);
  const body = new URLSearchParams({
    type: "card",
    "card[number]": digitsOf(number),
    "card[exp_month]": String(until?.month ?? ""),
    "card[exp_year]": String(until?.year ?? ""),
    "card[cvc]": cvc,
  });
  const response = await fetch(METHODS, { method: "POST", body, headers: { Authorization: `Bearer ${KEY}` } }).catch(() => {
    throw new ApiError(0, "", 0, { reason: "offline" });
  });
  const answer = (await response.json().catch(() => ({}))) as Answer;
  if (!answer.id) throw new CardError(answer.error);
  return answer.id;
}
