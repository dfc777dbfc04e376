import { expect, test } from "vitest";
import { type ContactFilter, contactFilter, isOrder } from "./contactfilter";

test.each<[ContactFilter, string | undefined]>([
  [{}, undefined],
  [{ text: "" }, undefined],
  [{ text: "o'hara 5%_\\" }, String.raw`(name ilike '%o''hara 5\%\_\\%')`],
  [{ phone: true, email: true, verified: true }, "(phonecost=1) and (businessemailcost=1) and (bus_email_validation='valid')"],
  [{ by: 7, since: "2026-03-01" }, "((revealedby=7) or (dialrevealedby=7)) and (createdon>='2026-03-01')"],
  [{ tag: "o'hara, (hot)" }, "(contactmeta_by_contactid.tags contains ('o''hara, (hot)'))"],
  [{ text: "cedar", work: true }, "((name ilike '%cedar%') or (title ilike '%cedar%') or (company ilike '%cedar%') or (company_domain ilike '%cedar%'))"],
  [{ text: "a", present: true }, "(name ilike '%a%') and (deleted=0)"],
])("the filter %j is %s", (filter, expected) => expect(contactFilter(filter)).toBe(expected));

test("unknown sort orders are rejected", () => {
  expect(isOrder("-name")).toBe(true);
  for (const text of [null, "", "createdon", "constructor"]) expect(isOrder(text)).toBe(false);
});
