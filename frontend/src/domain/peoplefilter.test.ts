import { expect, test } from "vitest";
import { PEOPLE_FIELDS, askedOf, isAsked, peopleFilters, readAsked, writeAsked } from "./peoplefilter";

const ADDRESS = "name=Maya&title=Head+of+Sales&company=Acme&company=%21Basalt&country=DEU&has=directdial&order=company";

test("an address is read, written again, and becomes what the server takes", () => {
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

test("two titles are one text, and an excluded one stays a list", () => {
  const asked = readAsked(new URLSearchParams("title=Head&title=Sales&title=!Assistant"), PEOPLE_FIELDS);
  expect(peopleFilters(asked)).toEqual({ title: "Head Sales", not: { title: ["Assistant"] } });
});

test.each([
  ["", false],
  ["company=&city=%20&color=red", false],
  ["order=name", false],
  ["name=a", true],
  ["has=!directdial", true],
])("%j asks something: %s", (text, expected) => expect(isAsked(readAsked(new URLSearchParams(text), PEOPLE_FIELDS))).toBe(expected));

test("nonsense in saved filters is left out", () => {
  expect(askedOf({ name: 5, company: [null, "Acme", 7], not: null }, PEOPLE_FIELDS)).toEqual({ name: "", terms: { company: [{ value: "Acme", not: false }] }, order: "" });
});
