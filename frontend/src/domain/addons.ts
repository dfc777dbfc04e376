/** The price of an add-on per number, and how long it lasts. Pure. */

interface Addon {
  planid: number;
  price: number | string;
  contactcredit?: number | undefined;
}

/** Dollars for one number; null if the add-on does not state how many it contains. */
export function priceEach({ price, contactcredit = 0 }: Addon): number | null {
  return contactcredit > 0 ? Number(price) / contactcredit : null;
}

/** The add-on with the lowest price per number; null unless two can be compared. */
export function cheapest(addons: readonly Addon[]): number | null {
  const priced = addons.flatMap((addon) => {
    const each = priceEach(addon);
    return each === null ? [] : [{ planid: addon.planid, each }];
  });
  if (priced.length < 2) return null;
  return priced.reduce((one, other) => (other.each < one.each ? other : one)).planid;
}

const PACE_DAYS = 30;
const MONTH = 30;
/** Fewer credits in 30 days allow no forecast; neither does a span of more than five years. */
const FEWEST = 3;
const MOST_MONTHS = 60;

/** How many months an add-on lasts if `spent` credits were used in the last 30 days; null if that allows no forecast.
 */
export function monthsOf({ contactcredit = 0 }: Pick<Addon, "contactcredit">, spent: number): number | null {
  if (spent < FEWEST || contactcredit <= 0) return null;
  const months = Math.round(contactcredit / (spent / PACE_DAYS) / MONTH);
  return months >= 1 && months <= MOST_MONTHS ? months : null;
}
