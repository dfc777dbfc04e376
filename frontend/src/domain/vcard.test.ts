import { expect, test } from "vitest";
import { vcard } from "./vcard";

test("a contact is written as a vCard with separators escaped", () => {
  const card = vcard({
    name: "Maya von Thornton",
    title: "Head of Sales, EMEA",
    company: "Acme; Sons",
    url: "https://www.linkedin.com/in/maya",
    phones: ["+14155550132"],
    business: ["maya@acme.example"],
    personal: ["maya@home.example"],
  });
  expect(card.split("\r\n")).toEqual([
    "BEGIN:VCARD",
    "VERSION:3.0",
    "N:Thornton;Maya von;;;",
    "FN:Maya von Thornton",
    String.raw`TITLE:Head of Sales\, EMEA`,
    String.raw`ORG:Acme\; Sons`,
    "TEL;TYPE=CELL:+14155550132",
    "EMAIL;TYPE=WORK:maya@acme.example",
    "EMAIL;TYPE=HOME:maya@home.example",
    "URL:https://www.linkedin.com/in/maya",
    "END:VCARD",
    "",
  ]);
});

test.each(["\n", "\r", "\r\n", "\u0085", "\u2028"])("no line break in a value begins a property: %j", (end) => {
  const card = vcard({ name: `Cher${end}TEL:1`, url: "", phones: [], business: [], personal: [] });
  expect(card).toContain("FN:Cher\\nTEL:1\r\n");
  expect(card.split(/[\r\n\u0085\u2028]+/)).not.toContain("TEL:1");
});

test("a line has at most 75 octets, and is read back whole", () => {
  const title = "Leiterin für Größe 😀 ".repeat(20).trim();
  const card = vcard({ name: "Maya", title, url: "", phones: [], business: [], personal: [] });
  const octets = card.split("\r\n").map((line) => new TextEncoder().encode(line).length);
  expect(Math.max(...octets)).toBeLessThanOrEqual(75);
  expect(card.replaceAll("\r\n ", "")).toContain(`TITLE:${title}\r\n`);
});
