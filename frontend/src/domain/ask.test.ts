import { expect, test } from "vitest";
import { fileOf, leftOut, readAsk } from "./ask";

const HOST = "linkedin.com";

test.each([
  ["https://www.linkedin.com/in/maya-1?trk=x#top", { kind: "profile", url: "linkedin.com/in/maya-1?trk=x" }],
  ["See https://de.linkedin.com/in/maya-1, please", { kind: "profile", url: "linkedin.com/in/maya-1" }],
  ["linkedin.com/in/a\nhttps://linkedin.com/in/b/\r\nlinkedin.com/in/A", { kind: "profiles", urls: ["linkedin.com/in/a", "linkedin.com/in/b"] }],
  ["Name,Url\nMaya,linkedin.com/in/maya\nMax,linkedin.com/in/max", { kind: "profiles", urls: ["linkedin.com/in/maya", "linkedin.com/in/max"] }],
  ["  Maya   Thornton ", { kind: "name", text: "Maya Thornton" }],
  ["St. John", { kind: "name", text: "St. John" }],
  ["example.com/in/maya", { kind: "nothing" }],
  ["maya@acme.example", { kind: "nothing" }],
  ["12345", { kind: "nothing" }],
  ["", { kind: "nothing" }],
])("the input %j is classified", (text, expected) => expect(readAsk(text, HOST)).toEqual(expected));

test("pasted addresses are limited to 1000", () => {
  const many = Array.from({ length: 1200 }, (_, at) => `linkedin.com/in/p${at}`).join("\n");
  expect(readAsk(many, HOST)).toMatchObject({ kind: "profiles", urls: { length: 1000 } });
});

test("addresses are written to a CSV file", async () => {
  expect(await fileOf(["linkedin.com/in/a", "linkedin.com/in/b"]).text()).toBe("linkedinurl\nhttps://linkedin.com/in/a\nhttps://linkedin.com/in/b");
});

test.each([
  ["", { wrong: 0, doubles: 0 }],
  ["linkedin.com/in/a\nhttps://www.linkedin.com/in/A/\nacme.example\n\nlinkedin.com/company/acme", { wrong: 2, doubles: 1 }],
  ["linkedin.com/in/a, linkedin.com/in/b", { wrong: 0, doubles: 0 }],
])("lines without an address and repeated ones are counted: %j", (text, left) => {
  expect(leftOut(text, "linkedin.com")).toEqual(left);
});
