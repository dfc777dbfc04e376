import { expect, test } from "vitest";
import { PEOPLE_FIELDS, askedOf, isAsked, peopleFilters, readAsked, writeAsked } from "./peoplefilter";

const ADDRESS = "name=Maya&title=Head+of+Sales&company=Acme&company=%21Basalt&country=DEU&has=directdial&order=company";

test("search parameters round-trip and become the request body", () => {
  const asked = readAsked(new URLSearchParams(ADDRESS), PEOPLE_FIELDS);
  expect(writeAsked(asked).toString()).toBe(ADDRESS);
  const filters = peopleFilters(asked);
  expect(filters).toEqual({
    name: "Maya",
    title: "Head of Sales",
    company: ["Acme"],
    country: ["DEU"],
    has: ["directdial"],
    not: { company: ["Basalt"] },
    order: "company",
  });
  expect(askedOf(filters as Record<string, unknown>, PEOPLE_FIELDS)).toEqual(asked);
});

test("several titles are joined into one text, excluded titles stay a list", () => {
  const asked = readAsked(new URLSearchParams("title=Head&title=Sales&title=!Assistant"), PEOPLE_FIELDS);
  expect(peopleFilters(asked)).toEqual({ title: "Head Sales", not: { title: ["Assistant"] } });
});

test.each([
  ["", false],
  ["company=&city=%20&color=red", false],
  ["order=name", false],
  ["name=a", true],
  ["has=!directdial", true],
])("the query string %j contains a filter: %s", (text, expected) => expect(isAsked(readAsked(new URLSearchParams(text), PEOPLE_FIELDS))).toBe(expected));

test("invalid values in saved filters are ignored", () => {
  expect(askedOf({ name: 5, company: [null, "Acme", 7], not: null }, PEOPLE_FIELDS)).toEqual({ name: "", terms: { company: [{ value: "Acme", not: false }] }, order: "" });
});
