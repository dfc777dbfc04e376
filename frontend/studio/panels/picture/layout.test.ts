import { expect, test } from "vitest";
import type { ModelTable } from "../../api/types";
import { around, busiest, curve, draw, edgesOf } from "./layout";

const table = (name: string, ...references: string[]): ModelTable => ({
  name,
  columns: [{ name: "id", type: "integer", primary_key: true }, ...references.map((to, index) => ({ name: `r${index}`, type: "integer", references: `${to}.id` }))],
});
const CHAIN = [table("a"), table("b", "a"), table("c", "b"), table("d", "c"), table("alone"), table("self", "self")];

test("a reference to a missing table has no edge", () => {
  expect(edgesOf([table("x", "hidden"), table("y", "x")])).toEqual([{ from: "y", to: "x", column: "r0" }]);
});

test("a reference can point to a table in another schema", () => {
  expect(edgesOf([table("other.t"), table("x", "other.t")])).toEqual([{ from: "x", to: "other.t", column: "r0" }]);
});

test("the neighbourhood of a table is limited in steps and size", () => {
  expect(around(CHAIN, "b", 1, 99).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  expect(around(CHAIN, "b", 2, 99).map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
  expect(around(CHAIN, "b", 2, 2)).toHaveLength(2);
});

test("tables do not overlap", () => {
  const { boxes, lines } = draw(CHAIN);
  expect(boxes).toHaveLength(6);
  expect(lines.map(({ points }) => points.length > 1)).toEqual([true, true, true]);
  for (const one of boxes) {
    for (const other of boxes) {
      const apart = one === other || one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y || other.y + other.height <= one.y;
      expect(apart, `${one.table.name} and ${other.table.name}`).toBe(true);
    }
  }
});

test("the busiest table is the one with the most relations", () => expect(busiest([table("x"), table("y", "x"), table("z", "x")])).toBe("x"));

test("a line has rounded corners and ends at its last point", () => {
  expect(curve([])).toBe("");
  expect(curve([{ x: 0, y: 0 }, { x: 4, y: 2 }])).toBe("M0,0 L4,2");
  expect(curve([{ x: 0, y: 0 }, { x: 4, y: 0 }, { x: 4, y: 8 }, { x: 9, y: 8 }])).toBe("M0,0 Q4,0 4,4 Q4,8 9,8");
});
