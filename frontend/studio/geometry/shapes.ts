/** Geometry in values: GeoJSON of PostGIS and JSON columns, and PostgreSQL's geometric types. Pure. */
import { Exact } from "../api/json";
import type { Field, Json } from "../api/types";

export type Place = readonly [x: number, y: number];

export type Shape =
  | { kind: "point"; at: Place }
  | { kind: "line"; points: Place[] }
  /** The first ring is the outline, the others are holes. */
  | { kind: "area"; rings: Place[][] }
  | { kind: "circle"; at: Place; radius: number };

export interface Geometry {
  /** The name of its type: Point, MultiPolygon, circle. */
  name: string;
  shapes: Shape[];
  /** Whether coordinates are degrees of longitude and latitude. */
  isEarth: boolean;
}

const MAX_SHAPES = 5_000;
const MAX_DEPTH = 8;

type GeoJson = Record<string, Json>;

const isObject = (value: Json | undefined): value is GeoJson => typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Exact);

class NotGeometry extends Error {}

function numberOf(value: Json | undefined): number {
  const number = value instanceof Exact ? Number(value.source) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) throw new NotGeometry();
  return number;
}

function listOf(value: Json | undefined): Json[] {
  if (!Array.isArray(value)) throw new NotGeometry();
  return value;
}

function placeOf(value: Json | undefined): Place {
  const [x, y] = listOf(value);
  return [numberOf(x), numberOf(y)];
}

const placesOf = (value: Json | undefined): Place[] => listOf(value).map(placeOf);

const READERS: Record<string, (coordinates: Json | undefined) => Shape[]> = {
  Point: (at) => [{ kind: "point", at: placeOf(at) }],
  MultiPoint: (points) => placesOf(points).map((at) => ({ kind: "point", at })),
  LineString: (points) => [{ kind: "line", points: placesOf(points) }],
  MultiLineString: (lines) => listOf(lines).map((points) => ({ kind: "line", points: placesOf(points) })),
  Polygon: (rings) => [{ kind: "area", rings: listOf(rings).map(placesOf) }],
  MultiPolygon: (areas) => listOf(areas).map((rings) => ({ kind: "area", rings: listOf(rings).map(placesOf) })),
};

function geoShapes(value: Json | undefined, depth = 0): Shape[] {
  if (!isObject(value) || depth > MAX_DEPTH) throw new NotGeometry();
  const type = String(value.type);
  if (Object.hasOwn(READERS, type)) return READERS[type]!(value.coordinates);
  if (value.type === "Feature") return geoShapes(value.geometry, depth + 1);
  if (value.type === "FeatureCollection") return listOf(value.features).flatMap((feature) => geoShapes(feature, depth + 1));
  if (value.type === "GeometryCollection") return listOf(value.geometries).flatMap((part) => geoShapes(part, depth + 1));
  throw new NotGeometry();
}

const NUMBER = String.raw`-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const PLACES = new RegExp(String.raw`\(\s*(${NUMBER})\s*,\s*(${NUMBER})\s*\)`, "gi");
const CIRCLE = new RegExp(String.raw`^<\(\s*(${NUMBER})\s*,\s*(${NUMBER})\s*\)\s*,\s*(${NUMBER})\s*>$`, "i");

const placesIn = (text: string): Place[] => [...text.matchAll(PLACES)].map(([, x, y]) => [Number(x), Number(y)] as const);

function corners([[right, top], [left, bottom]]: [Place, Place]): Place[] {
  return [[left, bottom], [right, bottom], [right, top], [left, top]];
}

/** Parses PostgreSQL's text of a geometric type into shapes. */
const PLANE: Record<string, (text: string) => Shape[]> = {
  point: (text) => placesIn(text).slice(0, 1).map((at) => ({ kind: "point", at })),
  lseg: (text) => [{ kind: "line", points: placesIn(text) }],
  path: (text) => [text.startsWith("[") ? { kind: "line", points: placesIn(text) } : { kind: "area", rings: [placesIn(text)] }],
  polygon: (text) => [{ kind: "area", rings: [placesIn(text)] }],
  box: (text) => {
    const [one, other] = placesIn(text);
    return one && other ? [{ kind: "area", rings: [corners([one, other])] }] : [];
  },
  circle: (text) => {
    const [, x, y, radius] = CIRCLE.exec(text) ?? [];
    return radius === undefined ? [] : [{ kind: "circle", at: [Number(x), Number(y)], radius: Number(radius) }];
  },
};

/** The points of a shape, or the corners of the square around a circle. */
export function placesOfShape(shape: Shape): Place[] {
  if (shape.kind === "line") return shape.points;
  if (shape.kind === "area") return shape.rings.flat();
  if (shape.kind === "point") return [shape.at];
  const { at: [x, y], radius } = shape;
  return [[x - radius, y - radius], [x + radius, y + radius]];
}

const isWhole = (geometry: Geometry): boolean =>
  geometry.shapes.length > 0 && geometry.shapes.length <= MAX_SHAPES && geometry.shapes.every((shape) => placesOfShape(shape).length > 0 && placesOfShape(shape).flat().every(Number.isFinite));

/** Whether a column has a geometric type. */
export const isPlane = ({ db_type }: Field): boolean => Object.hasOwn(PLANE, db_type);

/** The geometry of a value; null if it has none. Objects are recognized by their shape, regardless of the column type.
 */
export function geometryOf(field: Field, value: Json | undefined): Geometry | null {
  if (typeof value === "string" && isPlane(field)) {
    const geometry = { name: field.db_type, shapes: PLANE[field.db_type]!(value), isEarth: false };
    return isWhole(geometry) ? geometry : null;
  }
  if (!isObject(value) || typeof value.type !== "string") return null;
  try {
    const geometry = { name: value.type, shapes: geoShapes(value), isEarth: true };
    const isEarth = geometry.shapes.flatMap(placesOfShape).every(([x, y]) => Math.abs(x) <= 360 && Math.abs(y) <= 90);
    return isWhole(geometry) ? { ...geometry, isEarth } : null;
  } catch (error) {
    if (error instanceof NotGeometry) return null;
    throw error;
  }
}

const coordinate = (value: number): string => String(Math.abs(value) < 1e9 ? Math.round(value * 1e5) / 1e5 : value);

/** A geometry in a few words. */
export function inWords({ name, shapes }: Geometry): string {
  const [first] = shapes;
  if (shapes.length === 1 && first?.kind === "point") return `${name} ${first.at.map(coordinate).join(", ")}`;
  if (shapes.length === 1 && first?.kind === "circle") return `${name} ${first.at.map(coordinate).join(", ")} r ${coordinate(first.radius)}`;
  const points = shapes.reduce((sum, shape) => sum + placesOfShape(shape).length, 0);
  return shapes.length === 1 ? `${name}, ${points} points` : `${name}, ${shapes.length} shapes`;
}
