import { describe, expect, test } from "vitest";
import { dayText, daysAgo, parseDate } from "./dates";
import { lastPage, pageNumber, pageSize } from "./paging";
import { fromHost, profileUrl } from "./profileurl";
import { standingOf } from "./subscription";
import { digitsOf, isEmail, isStrongPassword } from "./validate";

test.each([
  ["https://de.linkedin.com/in/maya/", "linkedin.com/in/maya"],
  ["https://www.LinkedIn.com/in/maya", "LinkedIn.com/in/maya"],
  // Cut at the host, another site's address would become a profile, and be paid for.
  ["https://notlinkedin.com/in/x", "https://notlinkedin.com/in/x"],
  ["https://example.com/linkedin.com/in/x", "https://example.com/linkedin.com/in/x"],
  [" ", ""],
])("the API is asked for %j as %j", (text, expected) => expect(fromHost(text, "linkedin.com")).toBe(expected));

test.each([
  [" https://www.linkedin.com/in/maya/ ", "linkedin.com/in/maya"],
  ["http://de.linkedin.com/in/maya#about", "de.linkedin.com/in/maya"],
  ["WWW.LinkedIn.com/in/Maya", "LinkedIn.com/in/Maya"],
  ["//linkedin.com/in/maya", "linkedin.com/in/maya"],
  ["linkedin.com:443/in/maya", "linkedin.com:443/in/maya"],
  ["https://example.com/in/maya", null],
  ["https://notlinkedin.com/in/x", null],
  ["https://linkedin.com.evil.example/in/x", null],
  ["https://example.com/linkedin.com/in/x", null],
  ["https://example.com/?u=linkedin.com/in/x", null],
  ["https://linkedin.com@example.com/in/x", null],
  ["https://a@www.linkedin.com/in/x", null],
  ["https://example.com#linkedin.com/in/x", null],
  ["linkedin.com/in/maya?miniProfileUrn=urn", null],
  ["linkedin.com/in/maya?MINIPROFILEURN=urn", null],
  ["", null],
])("the profile url %j is %j", (text, expected) => expect(profileUrl(text, "linkedin.com")).toBe(expected));

test.each([
  [null, 25],
  ["25", 25],
  ["100", 100],
  ["7", 100],
  ["x", 100],
])("the page size %j is %j", (text, expected) => expect(pageSize(text)).toBe(expected));

test.each([
  [null, 1],
  ["3", 3],
  ["0", 1],
  ["-2", 1],
  ["1.5", 1],
])("the page %j is %j", (text, expected) => expect(pageNumber(text)).toBe(expected));

test("the last page is count over size, rounded up, and there is always one", () => {
  expect([lastPage(0, 25), lastPage(25, 25), lastPage(26, 25)]).toEqual([1, 1, 2]);
});

test.each([
  ["a@b.co", true],
  ["a.b+c@mail.example.com", true],
  ["a@b", false],
  ["a b@c.co", false],
  ["@c.co", false],
  ["a@@c.co", false],
])("%j as an email: %j", (text, expected) => expect(isEmail(text)).toBe(expected));

test.each([
  ["Demo1234", true],
  ["demo1234", false],
  ["DEMO1234", false],
  ["DemoDemo", false],
  ["Demo 1234", false],
  ["Dem1", false],
  [`Aa1${"x".repeat(98)}`, false],
])("%j as a password: %j", (text, expected) => expect(isStrongPassword(text)).toBe(expected));

test("digits are what is left of a number", () => expect(digitsOf("+1 (415) 555-01 00")).toBe("14155550100"));

test("dates of the server, in each of its spellings", () => {
  expect(dayText("2026-01-10 23:30:00+00")).toBe("10 Jan 2026");
  expect(dayText("2026-01-10T23:30:00.123456+00:00")).toBe("10 Jan 2026");
  expect(dayText("2026-01-10 23:30:00")).toBe("10 Jan 2026");
  expect(dayText("2026-12-05")).toBe("5 Dec 2026");
  expect(dayText(null)).toBe("");
  expect(parseDate("never")).toBeNull();
  expect(daysAgo(7, new Date("2026-03-03T10:00:00Z"))).toBe("2026-02-24");
});

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
