import { describe, expect, test } from "vitest";
import { canResume, offerOf } from "./planchange";

const NOW = new Date("2026-06-01T00:00:00Z");
const plan = (planid: number, sku: string | null, price: number) => ({ planid, sku, price });
const FREE = plan(1, "custom_trial", 0);
const STARTER = plan(2, "starter", 49);
const PRO = plan(3, "pro", 99);
const BUSINESS = plan(4, "business", 199);
const CUSTOM = plan(8, "custom_monthly", -1);
const UNNAMED = plan(9, null, 700);

const on = (present: ReturnType<typeof plan>, part: object = {}) => ({
  planid: present.planid,
  autorenew: 1,
  expirydate: "2026-07-01",
  isactive: 1,
  subscriptionplan_by_planid: present,
  ...part,
});

describe("a plan offers", () => {
  test.each([
    ["an upgrade above the present one", BUSINESS, on(PRO), "upgrade"],
    ["a downgrade below it", STARTER, on(PRO), "downgrade"],
    ["nothing as the present one", PRO, on(PRO), "current"],
    ["a subscription where there is none", PRO, undefined, "subscribe"],
    ["a subscription after the end", STARTER, on(PRO, { expirydate: "2026-05-31" }), "subscribe"],
    ["a subscription after a cancel", BUSINESS, on(PRO, { autorenew: "0" }), "subscribe"],
    ["a subscription to the cancelled one itself", PRO, on(PRO, { autorenew: 0 }), "subscribe"],
    ["an upgrade from the free one", STARTER, on(FREE), "upgrade"],
    ["neither up nor down from a custom one", STARTER, on(CUSTOM), "subscribe"],
    ["a talk about a custom one", CUSTOM, on(PRO), "contact"],
    ["a talk about one without a sku", UNNAMED, on(PRO), "contact"],
    ["nothing as the present custom one", CUSTOM, on(CUSTOM), "current"],
  ])("%s", (_, one, subscription, expected) => expect(offerOf(one, subscription, NOW)).toBe(expected));

  test("its own return while a cancelled period runs", () => {
    const cancelled = on(PRO, { autorenew: 0 });
    expect([canResume(cancelled, 3, NOW), canResume(cancelled, 4, NOW), canResume(on(PRO), 3, NOW)]).toEqual([true, false, false]);
  });
});
