/** Stripe's script, fetched only where a card is asked for, and given up after a while: a firewall may swallow it. */
import type { Stripe } from "@stripe/stripe-js";
import { config } from "./config";

const PATIENCE_MS = 6000;

export class NoCardForm extends Error {}

export async function loadStripe(): Promise<Stripe> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new NoCardForm("Stripe's script did not come in time.")), PATIENCE_MS);
  });
  const { loadStripe: load } = await import("@stripe/stripe-js/pure");
  const stripe = await Promise.race([load(config().stripepublishablekey ?? ""), late]);
  if (!stripe) throw new NoCardForm("Stripe's script needs a browser.");
  return stripe;
}
