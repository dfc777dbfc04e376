import { expect, test } from "vitest";
import { emailsOf, initials, listOf, profileLink } from "./contacts";

test.each([
  ["Maya Thornton", "MT"],
  ["  jonas   van der weber ", "JW"],
  ["Cher", "C"],
  ["", ""],
  ["Émile Zola", "ÉZ"],
])("the initials of %j are %j", (name, expected) => expect(initials(name)).toBe(expected));

test("a comma-separated list is trimmed and empty items are dropped", () => {
  expect(listOf(" a@x.io, ,b@x.io")).toEqual(["a@x.io", "b@x.io"]);
  expect(listOf(null)).toEqual([]);
});

test("emails are parsed from JSON, and invalid JSON has no addresses", () => {
  const text = JSON.stringify([{ address: "a@x.io", type: "personal" }, { address: "b@x.io", type: "business" }]);
  expect(emailsOf(text, "personal")).toEqual(["a@x.io"]);
  expect(emailsOf("no json", "personal")).toEqual([]);
});

test("a profile link always uses HTTPS, even for a javascript: URL", () => {
  expect(profileLink("linkedin.com/in/a")).toBe("https://linkedin.com/in/a");
  expect(profileLink("https://linkedin.com/in/a")).toBe("https://linkedin.com/in/a");
  expect(profileLink("javascript:alert(1)")).toBe("https://javascript:alert(1)");
});
