// @vitest-environment jsdom
import { expect, test } from "vitest";
import { briefDayText, dayText, daysAgo, localDayText, momentText, parseDate } from "./dates";
import { chooseTimeZone } from "./locale";
import { lastPage, pageNumber, pageSize } from "./paging";
import { digitsOf, isEmail, passwordFault } from "./validate";

test.each([
  [null, 25],
  ["25", 25],
  ["100", 100],
  ["7", 100],
  ["x", 100],
])("the page size %j is read as %j", (text, expected) => expect(pageSize(text)).toBe(expected));

test.each([
  [null, 1],
  ["3", 3],
  ["0", 1],
  ["-2", 1],
  ["1.5", 1],
])("the page number %j is read as %j", (text, expected) => expect(pageNumber(text)).toBe(expected));

test("the page count is rounded up and at least 1", () => {
  expect([lastPage(0, 25), lastPage(25, 25), lastPage(26, 25)]).toEqual([1, 1, 2]);
});

test.each([
  ["a@b.co", true],
  ["a.b+c@mail.example.com", true],
  ["a@b", false],
  ["a b@c.co", false],
  ["@c.co", false],
  ["a@@c.co", false],
])("%j is a valid email address: %j", (text, expected) => expect(isEmail(text)).toBe(expected));

test.each([
  ["Demo1234", null],
  ["demo1234", "weak"],
  ["DEMO1234", "weak"],
  ["DemoDemo", "weak"],
  ["Demo 1234", "weak"],
  ["Dem1", "short"],
  [`Aa1${"x".repeat(97)}`, null],
  [`Aa1${"x".repeat(98)}`, "long"],
])("the password %j has the fault: %j", (text, expected) => expect(passwordFault(text)).toBe(expected));

test("non-digits are removed from a phone number", () => expect(digitsOf("+1 (415) 555-01 00")).toBe("14155550100"));

test("server dates are parsed in every format", () => {
  expect(dayText("2026-01-10 23:30:00+00")).toBe("10 Jan 2026");
  expect(dayText("2026-01-10T23:30:00.123456+00:00")).toBe("10 Jan 2026");
  expect(dayText("2026-01-10 23:30:00")).toBe("10 Jan 2026");
  expect(dayText("2026-12-05")).toBe("5 Dec 2026");
  expect(dayText(null)).toBe("");
  expect(parseDate("never")).toBeNull();
  expect(daysAgo(7, new Date("2026-03-03T10:00:00Z"))).toBe("2026-02-24");
});

test.each([
  ["2026-01-10 09:00:00+00", "10 Jan"],
  ["2025-12-31 09:00:00+00", "31 Dec 2025"],
  [null, ""],
])("%j without the current year is shown as %j", (text, expected) => expect(briefDayText(text, new Date("2026-03-03T10:00:00Z"))).toBe(expected));

test("timestamps use the selected time zone, dates without a time do not", () => {
  chooseTimeZone("Asia/Tokyo");
  expect(dayText("2026-01-10 23:30:00+00")).toBe("10 Jan 2026");
  expect(localDayText("2026-01-10 23:30:00+00")).toBe("11 Jan 2026");
  expect(momentText("2026-01-10 23:30:00+00")).toBe("11 Jan 2026, 08:30");
  expect(localDayText("2026-09-05")).toBe("5 Sep 2026");
  chooseTimeZone("Nowhere/Atlantis");
  expect(momentText("2026-01-10 23:30:00+00")).toMatch(/^1[01] Jan 2026, \d\d:\d\d$/);
  expect([momentText(null), localDayText("never")]).toEqual(["", ""]);
});
