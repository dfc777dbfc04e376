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
    ["an upgrade to a higher plan", BUSINESS, on(PRO), "upgrade"],
    ["a downgrade to a lower plan", STARTER, on(PRO), "downgrade"],
    ["no change if it is the current plan", PRO, on(PRO), "current"],
    ["a subscription without a plan", PRO, undefined, "subscribe"],
    ["a subscription after the plan has expired", STARTER, on(PRO, { expirydate: "2026-05-31" }), "subscribe"],
    ["a subscription after a cancellation", BUSINESS, on(PRO, { autorenew: "0" }), "subscribe"],
    ["a subscription to the cancelled plan", PRO, on(PRO, { autorenew: 0 }), "subscribe"],
    ["an upgrade from the free plan", STARTER, on(FREE), "upgrade"],
    ["a subscription instead of a change from a custom plan", STARTER, on(CUSTOM), "subscribe"],
    ["contact for a custom plan", CUSTOM, on(PRO), "contact"],
    ["contact for a plan without a sku", UNNAMED, on(PRO), "contact"],
    ["no change if it is the current custom plan", CUSTOM, on(CUSTOM), "current"],
  ])("%s", (_, one, subscription, expected) => expect(offerOf(one, subscription, NOW)).toBe(expected));

  test("to resume the same plan during a cancelled period", () => {
    const cancelled = on(PRO, { autorenew: 0 });
    expect([canResume(cancelled, 3, NOW), canResume(cancelled, 4, NOW), canResume(on(PRO), 3, NOW)]).toEqual([true, false, false]);
  });
});
