import { expect, test } from "vitest";
import { linkOf, shortTime } from "./format";

test.each(["javascript:alert(1)", "data:text/html,x", "JAVASCRIPT:x", "http://a b", "//x.example", "<b>x</b>", "https://", null, 5])(
  "%j is shown as text without a link",
  (value) => expect(linkOf(value)).toBeNull(),
);

test("http and https addresses are links", () => {
  expect(linkOf("https://x.example/a?b=1")).toBe("https://x.example/a?b=1");
});

test("a time in UTC is labelled as UTC", () => {
  expect(shortTime("2026-01-02 03:04:05.678+00")).toBe("2026-01-02 03:04:05.678 UTC");
  expect(shortTime("2026-01-02 03:04:05+02")).toBe("2026-01-02 03:04:05+02");
});
