import { expect, test } from "vitest";
import { cheapest, monthsOf, priceEach } from "./addons";

test.each([
  [{ planid: 1, price: 25, contactcredit: 100 }, 0.25],
  [{ planid: 2, price: "99", contactcredit: 500 }, 0.198],
  [{ planid: 3, price: 9 }, null],
  [{ planid: 3, price: 9, contactcredit: 0 }, null],
])("the unit price of %j is %s", (addon, each) => {
  expect(priceEach(addon)).toBe(each);
});

test("the cheapest add-on is chosen among those with a known credit count", () => {
  expect(cheapest([{ planid: 1, price: 25, contactcredit: 100 }, { planid: 2, price: 99, contactcredit: 500 }, { planid: 3, price: 1 }])).toBe(2);
  expect(cheapest([{ planid: 1, price: 25, contactcredit: 100 }])).toBeNull();
});

test("the months that an add-on lasts are estimated from the last 30 days", () => {
  expect([monthsOf({ contactcredit: 100 }, 25), monthsOf({ contactcredit: 100 }, 90)]).toEqual([4, 1]);
  expect([monthsOf({ contactcredit: 100 }, 2), monthsOf({ contactcredit: 100 }, 1000), monthsOf({}, 25), monthsOf({ contactcredit: 2000 }, 25)]).toEqual([null, null, null, null]);
});
