import { expect, test } from "vitest";
import { cheapest, monthsOf, priceEach } from "./addons";

test.each([
  [{ planid: 1, price: 25, contactcredit: 100 }, 0.25],
  [{ planid: 2, price: "99", contactcredit: 500 }, 0.198],
  [{ planid: 3, price: 9 }, null],
  [{ planid: 3, price: 9, contactcredit: 0 }, null],
])("the price of one number of %j is %s", (addon, each) => {
  expect(priceEach(addon)).toBe(each);
});

test("the cheapest is found among those that say how many they hold", () => {
  expect(cheapest([{ planid: 1, price: 25, contactcredit: 100 }, { planid: 2, price: 99, contactcredit: 500 }, { planid: 3, price: 1 }])).toBe(2);
  expect(cheapest([{ planid: 1, price: 25, contactcredit: 100 }])).toBeNull();
});

test("an add-on lasts as many months as the pace of the last 30 days says", () => {
  expect([monthsOf({ contactcredit: 100 }, 25), monthsOf({ contactcredit: 100 }, 90)]).toEqual([4, 1]);
  expect([monthsOf({ contactcredit: 100 }, 2), monthsOf({ contactcredit: 100 }, 1000), monthsOf({}, 25), monthsOf({ contactcredit: 2000 }, 25)]).toEqual([null, null, null, null]);
});
