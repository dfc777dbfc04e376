import { expect, test } from "vitest";
import { imageOf, linkOf, shortTime } from "./format";

test.each(["javascript:alert(1)", "data:text/html,x", "JAVASCRIPT:x", "http://a b", "//x.example", "<b>x</b>", "https://", null, 5])(
  "%j is text and no link",
  (value) => expect(linkOf(value)).toBeNull(),
);

test("http and https addresses are links", () => {
  expect(linkOf("https://x.example/a?b=1")).toBe("https://x.example/a?b=1");
});

test.each([
  ["https://here.example/a.png", "https://here.example/a.png"],
  ["https://other.example/a.png", null],
  ["data:image/svg+xml;base64,AAAA", null],
  ["data:image/png;base64,AAAA", "data:image/png;base64,AAAA"],
  ["https://here.example/a.html", null],
])("the image of %j is %j", (value, image) => expect(imageOf(value, "https://here.example")).toBe(image));

test("a time in UTC says so", () => {
  expect(shortTime("2026-01-02 03:04:05.678+00")).toBe("2026-01-02 03:04:05.678 UTC");
  expect(shortTime("2026-01-02 03:04:05+02")).toBe("2026-01-02 03:04:05+02");
});
