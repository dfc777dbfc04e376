/** Loads Stripe's script on the card form only, with a timeout in case a firewall drops the request. */
import type { Stripe } from "@stripe/stripe-js";
import { config } from "./config";

const TIMEOUT_MS = 6000;

class NoCardForm extends Error {}

export async function loadStripe(): Promise<Stripe> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new NoCardForm("Stripe's script did not come in time.")), TIMEOUT_MS);
  });
  const { loadStripe: load } = await import("@stripe/stripe-js/pure");
  const stripe = await Promise.race([load(config().stripepublishablekey ?? ""), late]);
  if (!stripe) throw new NoCardForm("Stripe's script needs a browser.");
  return stripe;
}
