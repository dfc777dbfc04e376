/** The price of an add-on per number. Pure. */

interface Addon {
  planid: number;
  price: number | string;
  contactcredit?: number | undefined;
}

/** Dollars for one number; null if the add-on does not state how many it contains. */
export function priceEach({ price, contactcredit = 0 }: Addon): number | null {
  return contactcredit > 0 ? Number(price) / contactcredit : null;
}

/** The add-on with the lowest price by the number; null where no two can be compared. */
export function cheapest(addons: readonly Addon[]): number | null {
  const priced = addons.flatMap((addon) => {
    const each = priceEach(addon);
    return each === null ? [] : [{ planid: addon.planid, each }];
  });
  if (priced.length < 2) return null;
  return priced.reduce((one, other) => (other.each < one.each ? other : one)).planid;
}
