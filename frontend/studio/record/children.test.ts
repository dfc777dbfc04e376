import { expect, test } from "vitest";
import type { Relation } from "../api/types";
import { distinction } from "./children";

const relation = (name: string, more: Partial<Relation>): Relation =>
  ({ name, type: "many_many", field: "id", ref_table: "person", ref_field: "id", junction_table: null, junction_ref_field: null, ...more }) as Relation;

test("relations to the same table are told apart", () => {
  const followers = relation("a", { junction_table: "follow", junction_ref_field: "follower" });
  const followed = relation("b", { junction_table: "follow", junction_ref_field: "followed" });
  const friends = relation("c", { junction_table: "friend", junction_ref_field: "b" });
  const children = relation("d", { type: "has_many", ref_field: "parent" });
  const orders = relation("e", { type: "has_many", ref_table: "orders", ref_field: "person" });
  const related = [followers, followed, friends, children, orders];
  expect(related.map((each) => distinction(each, related))).toEqual(["follow.follower", "follow.followed", "friend", "parent", null]);
});
