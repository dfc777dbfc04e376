/** Amounts as people read them. Pure. */

/** Dollars: `$49`, `$12.50`, `-$3.20`. */
export function dollars(amount: number | string): string {
  const value = Number(amount);
  const whole = Number.isInteger(value);
  const text = Math.abs(value).toLocaleString("en-US", { minimumFractionDigits: whole ? 0 : 2, maximumFractionDigits: 2 });
  return `${value < 0 ? "-" : ""}$${text}`;
}

/** An amount of the payment provider, in the smallest unit of its currency: `$12.50`. */
export function cents(amount: number, currency = "usd"): string {
  return (amount / 100).toLocaleString("en-US", { style: "currency", currency });
}

/** The price of a small thing, in dollars or cents: `$1.20`, `25¢`, `14.95¢`. */
export function smallAmount(amount: number): string {
  return amount >= 1 ? dollars(amount) : `${(amount * 100).toLocaleString("en-US", { maximumFractionDigits: 2 })}¢`;
}
