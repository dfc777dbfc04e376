/** Amounts as people read them. */
import { numberFormat } from "./locale";

/** Dollars, with cents only where there are some: `$49`, `$12.50`, `-$3.20`. */
export function dollars(amount: number | string): string {
  const value = Number(amount);
  return money("USD", Number.isInteger(value) ? 0 : 2).format(value);
}

/** An amount of the payment provider, in the smallest unit of its currency: `$12.50`. */
export const cents = (amount: number, currency = "usd"): string => money(currency.toUpperCase(), 2).format(amount / 100);

const money = (currency: string, digits: number): Intl.NumberFormat =>
  numberFormat({ style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits });

/** The price of a small thing, in dollars or cents: `$1.20`, `25¢`, `14.95¢`. */
export const smallAmount = (amount: number): string =>
  amount >= 1 ? dollars(amount) : `${numberFormat({ maximumFractionDigits: 2 }).format(amount * 100)}¢`;
