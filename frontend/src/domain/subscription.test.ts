import { describe, expect, test } from "vitest";
import { standingOf } from "./subscription";

describe("a subscription", () => {
  const now = new Date("2026-06-01T00:00:00Z");
  const plan = { name: "Starter", sku: "starter", price: 49, validity: 30 };
  const live = { isactive: 1, autorenew: 1, expirydate: "2026-07-01", transactionid: "t", subscriptionplan_by_planid: plan };
  const credits = { contactcredit: 5 };

  test.each([
    ["active", live, credits],
    ["expired", { ...live, expirydate: "2026-05-31" }, credits],
    ["expired", { ...live, isactive: 0 }, credits],
    ["expired", { ...live, expirydate: "2026-05-20", graceuntil: "2026-05-27" }, credits],
    ["pastdue", { ...live, expirydate: "2026-05-31", graceuntil: "2026-06-07" }, credits],
    ["cancelled", { ...live, autorenew: "0" }, credits],
    ["creditsover", live, { contactcredit: 0 }],
    ["trial", { ...live, transactionid: null, subscriptionplan_by_planid: { ...plan, price: 0 } }, credits],
    ["none", live, undefined],
    ["none", undefined, credits],
  ])("is %s", (expected, one, left) => expect(standingOf(one, left, now)).toBe(expected));
});
