import { expect, test } from "vitest";
import { linesOf } from "./ledger";

const row = (ledgerid: number, part: object = {}) => ({
  ledgerid, createdon: "2026-01-10 09:00:00+00", kind: "contactcredit", delta: -1, balance_after: 9, reason: "reveal", actor: 7, keyid: null, contactid: 4, ...part,
});

test("ledger rows of one reveal are merged", () => {
  const lines = linesOf([row(3), row(2, { kind: "bus_email_credits", createdon: "2026-01-10 08:59:58+00" }), row(1, { kind: "personal_email_credits" })]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ delta: -3, first: { ledgerid: 3 } });
});

test.each([
  ["another person", { contactid: 5 }],
  ["another user", { actor: 8 }],
  ["an API key", { actor: null, keyid: 1 }],
  ["another time", { createdon: "2026-01-10 08:00:00+00" }],
  ["the same kind again", { kind: "contactcredit" }],
  ["no person", { contactid: null }],
])("a row with %s is not merged", (_, part) => expect(linesOf([row(2), row(1, { kind: "bus_email_credits", ...part })])).toHaveLength(2));

test("changes with another reason than a reveal are not merged", () => {
  expect(linesOf([row(2, { reason: "plan", contactid: null }), row(1, { reason: "plan", kind: "bus_email_credits", contactid: null })])).toHaveLength(2);
});
