import { expect, test } from "vitest";
// @ts-expect-error The extension is plain JavaScript, as Chrome loads it.
import { linesOf, memory, payable } from "./person.js";

const NOW = new Date("2026-11-25T12:00:00Z");
const CARD = {
  phone_numbers: ["+**********", "+**********"],
  phone_encrypted: true,
  emails: [{ address: "max@acme.example", type: "business" }],
  business_email_encrypted: false,
  personal_email_encrypted: false,
  revealed: [{ type: "businessemail", name: "Max", revealedon: "2026-11-03T12:00:00Z" }],
};

test("an earlier reveal is shown with its date, including the year if it is not the current one", () => {
  expect(memory(CARD.revealed[0], NOW)).toBe("0 credits, Max revealed this on 3 Nov");
  expect(memory({ name: null, revealedon: "2025-11-03T12:00:00Z" }, NOW)).toBe("0 credits, an API key revealed this on 3 Nov 2025");
});

test("only existing, unpaid values have a price", () => {
  expect(payable(CARD).map(({ type }: { type: string }) => type)).toEqual(["directdial"]);
  const copied: string[] = [];
  const reported: string[][] = [];
  const lines: HTMLElement[] = linesOf(CARD, [], { onCopy: (value: string) => copied.push(value), onReport: (...answer: string[]) => reported.push(answer) });
  expect(lines.map((line) => line.querySelector("button")?.getAttribute("aria-label") ?? null)).toEqual(["Reveal Cell Number · 1 credit", "Copy max@acme.example", null]);
  expect(lines[1].querySelector("a")!.getAttribute("href")).toBe("mailto:max@acme.example");
  lines[1].querySelector("button")!.click();
  expect(copied).toEqual(["max@acme.example"]);
  lines[1].querySelector("input")!.value = "max@acme.test";
  lines[1].querySelector<HTMLButtonElement>("details button")!.click();
  expect(reported).toEqual([["businessemail", "max@acme.example", "invalid", "max@acme.test"]]);
  expect(lines[2].textContent).toContain("No email found");
});
