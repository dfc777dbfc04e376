/** Formats amounts of money. */
import { language } from "./language";
import { numberFormat } from "./locale";

const written = (amount: string): string => amount.replace("-", "−");

/** Dollars, with cents only where there are some: `$49`, `$12.50`, `−$3.20`. */
export function dollars(amount: number | string): string {
  const value = Number(amount);
  return written(money("USD", Number.isInteger(value) ? 0 : 2).format(value));
}

/** An amount of the payment provider, in the smallest unit of its currency: `$12.50`. */
export const cents = (amount: number, currency = "usd"): string => written(money(currency.toUpperCase(), 2).format(amount / 100));

/** Dollars in a column, where all amounts have cents: `$49.00`. */
export const dollarsAndCents = (amount: number | string): string => cents(Math.round(Number(amount) * 100));

const money = (currency: string, digits: number): Intl.NumberFormat =>
  numberFormat({ style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits });

/** A unit price: `$1.20`, `25¢`, `14.95¢`. German uses no cent sign: `0,25 $`, `0,1495 $`. */
export function smallAmount(amount: number): string {
  if (amount >= 1) return dollars(amount);
  if (language().name !== "en") return numberFormat({ style: "currency", currency: "USD", maximumFractionDigits: 4 }).format(amount);
  return `${numberFormat({ maximumFractionDigits: 2 }).format(amount * 100)}¢`;
}
