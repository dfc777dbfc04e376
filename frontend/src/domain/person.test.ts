import { expect, test } from "vitest";
import { aboutOf } from "./person";

test.each([
  ["NLD", "Netherlands"],
  ["de", "Germany"],
  ["United Kingdom", "United Kingdom"],
  ["XXX", "XXX"],
])("the country %j is shown as %s", (country, shown) => expect(aboutOf({ title: "CTO", company: "Acme", country })).toBe(`CTO · Acme · ${shown}`));

test("missing fields leave no separators", () => {
  expect(aboutOf({ title: "", company: "Acme", country: "" })).toBe("Acme");
});
