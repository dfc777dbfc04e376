// @vitest-environment jsdom
import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { loadLanguage } from "../lib/language";
import { events } from "../texts/en/events";
import { eventText, joined, namedBy, targetText } from "./event";

test.each([
  ["signin_failed", "Sign-in failed"],
  ["reveal", "Reveal"],
  ["addon_bought", "Add-on bought"],
  ["partly_paid", "Partly paid"],
])("the event %s is shown as %s", (name, text) => {
  expect(eventText(name)).toBe(text);
});

test.each([
  ["plan_changed", "4", "plan"],
  ["addon_bought", "9", "plan"],
  ["key_created", "2", "key"],
  ["member_deleted", "7", "user"],
  ["password_changed", "7", "user"],
  ["invoice_paid", "INV-1", undefined],
  ["plan_changed", null, undefined],
  ["sessions_ended", "3", undefined],
])("the target of %s (%s) refers to: %s", (event, target, named) => {
  expect(namedBy(event, target)).toBe(named);
});

test("the reason is appended to the target", () => {
  expect(targetText("Pro", { reason: "asked by phone" })).toBe("Pro: asked by phone");
  expect(targetText(null, null)).toBe("");
});

test("every event written by the scripts has a text", () => {
  const folders = ["../scripts", "../product"];
  const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`));
  const written = files.filter((file) => file.endsWith(".py")).flatMap((file) => {
    const code = readFileSync(file, "utf8");
    const own = [...code.matchAll(/audit\.write\(ctx, "(\w+)"/g), ...code.matchAll(/\breason="(\w+)", source=/g)].map(([, name]) => name!);
    return [...own, ...[...code.matchAll(/log\.write\(ctx, "(\w+)"/g)].map(([, name]) => `support_${name}`)];
  });
  expect(written.length).toBeGreaterThan(30);
  expect(written.filter((name) => !(name in events.events))).toEqual([]);
});

test("event names are translated into the selected language", async () => {
  await loadLanguage("de");
  expect(["keys_read", "signin_failed", "reveal", "partly_paid"].map(eventText)).toEqual(["Schlüssel gelesen", "Anmeldung fehlgeschlagen", "Aufdeckung", "Partly paid"]);
});

const reveal = (kind: string, createdon: string, target = "contact 4") => ({ event: "reveal", target, detail: { kind }, appuserid: 7, keyid: null, createdon });

test("audit entries of one reveal are merged", () => {
  const rows = joined([
    reveal("businessemail", "2026-01-10 09:00:01+00"), reveal("directdial", "2026-01-10 09:00:00+00"), reveal("directdial", "2026-01-10 08:00:00+00"),
    reveal("personalemail", "2026-01-10 08:00:00+00", "contact 5"), { ...reveal("", "2026-01-10 07:00:00+00"), event: "signin", target: null },
  ]);
  expect(rows.map(({ kinds }) => kinds)).toEqual([["phone", "business"], ["phone"], ["personal"], []]);
});
