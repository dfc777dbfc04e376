import { expect, test } from "vitest";
// @ts-expect-error The extension is plain JavaScript, as Chrome loads it.
import { MOST, joined, profileOf, profilesOf } from "./collect.js";

test("collects each profile on the page once and ignores other sites", () => {
  document.body.innerHTML = `
    <a href="https://www.linkedin.com/in/maya-thornton?miniProfileUrn=x">Maya</a>
    <a href="https://de.linkedin.com/in/maya-thornton/overlay/">Maya again</a>
    <a href="https://www.linkedin.com/company/acme/">Acme</a>
    <a href="https://linkedin.com.evil.example/in/mallory/">Mallory</a>`;
  expect(profilesOf()).toEqual(["https://www.linkedin.com/in/maya-thornton"]);
});

test("the list has no duplicates and at most 200 addresses", () => {
  const many = Array.from({ length: 250 }, (_, index) => `https://www.linkedin.com/in/p${index}`);
  expect(joined(many.slice(0, 3), many)).toEqual(many.slice(0, MOST));
});

test("recognises a profile page by its URL", () => {
  expect(profileOf("https://de.linkedin.com/in/maya-thornton/overlay/?x=1")).toBe("https://www.linkedin.com/in/maya-thornton");
  for (const other of [undefined, "", "chrome://newtab", "https://www.linkedin.com/company/acme/", "https://linkedin.com.evil.example/in/mallory/", "http://www.linkedin.com/in/maya/"])
    expect(profileOf(other)).toBeNull();
});
