import { expect, test } from "vitest";
import type { Field, Json } from "../api/types";
import { frameOf, project, ticks } from "./frame";
import { geometryOf, inWords } from "./shapes";

const field = (db_type: string): Field => ({ name: "at", db_type, type: "string" }) as Field;
const words = (db_type: string, value: Json) => {
  const geometry = geometryOf(field(db_type), value);
  return geometry && inWords(geometry);
};

test.each<[string, Json, string | null]>([
  ["point", "(10.5,-59)", "point 10.5, -59"],
  ["point", "(1e+20,2)", "point 100000000000000000000, 2"],
  ["point", "(NaN,2)", null],
  ["point", "(Infinity,2)", null],
  ["point", "", null],
  ["circle", "<(1,2),3>", "circle 1, 2 r 3"],
  ["circle", "<(1,2)>", null],
  ["box", "(3,4),(1,2)", "box, 4 points"],
  ["lseg", "[(1,2),(3,4)]", "lseg, 2 points"],
  ["path", "[(1,2),(3,4),(5,6)]", "path, 3 points"],
  ["polygon", "((0,0),(0,1),(1,1))", "polygon, 3 points"],
  ["text", "(1,2)", null],
  ["jsonb", { type: "Point", coordinates: [10.75, 59.91] }, "Point 10.75, 59.91"],
  ["geometry(Point,4326)", { type: "Point", coordinates: [10.75, 59.91, 100] }, "Point 10.75, 59.91"],
  ["jsonb", { type: "Polygon", coordinates: [[[0, 0], [1, 0], [1, 1], [0, 0]]] }, "Polygon, 4 points"],
  ["jsonb", { type: "MultiPoint", coordinates: [[0, 0], [1, 1]] }, "MultiPoint, 2 shapes"],
  ["jsonb", { type: "Feature", geometry: { type: "Point", coordinates: [1, 2] }, properties: {} }, "Feature 1, 2"],
  ["jsonb", { type: "GeometryCollection", geometries: [{ type: "Point", coordinates: [1, 2] }] }, "GeometryCollection 1, 2"],
  ["jsonb", { type: "Point", coordinates: ["1", 2] }, null],
  ["jsonb", { type: "Point", coordinates: null }, null],
  ["jsonb", { type: "Polygon", coordinates: [] }, null],
  ["jsonb", { type: "constructor", coordinates: [1, 2] }, null],
  ["jsonb", { type: "sale" }, null],
  ["jsonb", [1, 2], null],
  ["jsonb", null, null],
])("the %s value %j is read as %j", (db_type, value, expected) => expect(words(db_type, value)).toBe(expected));

test("geometry nested too deeply is rejected", () => {
  let value: Json = { type: "Point", coordinates: [1, 2] };
  for (let depth = 0; depth < 20; depth += 1) value = { type: "Feature", geometry: value };
  expect(geometryOf(field("jsonb"), value)).toBeNull();
});

test("coordinates in degrees are distinguished from metres", () => {
  expect(geometryOf(field("json"), { type: "Point", coordinates: [10, 60] })?.isEarth).toBe(true);
  expect(geometryOf(field("json"), { type: "Point", coordinates: [597_000, 6_643_000] })?.isEarth).toBe(false);
});

test("a frame contains every point, and north is up", () => {
  const geometry = geometryOf(field("polygon"), "((-5,0),(5,0),(0,40))")!;
  const frame = frameOf(geometry);
  const [[, south], [x, north]] = [project(frame, [0, 0]), project(frame, [0, 40])];
  expect(north).toBeGreaterThan(0);
  expect(south).toBeGreaterThan(north);
  expect(x).toBeCloseTo(frame.width / 2);
});

test("a single point on the earth is shown on a world map", () => {
  const frame = frameOf(geometryOf(field("json"), { type: "Point", coordinates: [10, 60] })!);
  expect([frame.left, frame.right]).toEqual([-180, 180]);
});

test.each([
  [0, 10, true, [0, 2, 4, 6, 8, 10]],
  [-180, 180, true, [-180, -90, 0, 90, 180]],
  [0.1, 0.9, false, [0.2, 0.4, 0.6, 0.8]],
])("grid lines between %d and %d are round numbers", (from, to, isEarth, expected) => expect(ticks(from, to, isEarth)).toEqual(expected));
