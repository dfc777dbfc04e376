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

test("a line break in a value is escaped", () => {
  expect(vcard({ name: "Cher\nTEL:1", url: "", phones: [], business: [], personal: [] })).toContain("FN:Cher\\nTEL:1");
});
