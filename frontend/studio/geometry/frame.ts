/** The part of the plane that a map shows, and the lines of its graticule. Pure. */
import { type Geometry, type Place, placesOfShape } from "./shapes";

export interface Frame {
  left: number;
  right: number;
  bottom: number;
  top: number;
  /** Size of the picture in pixels. */
  width: number;
  height: number;
}

const WIDTH = 440;
const HEIGHTS = { least: 160, most: 320 };
const MARGIN = 0.15; // of the span, on each side
const MAX_LINES = 6;
const DEGREES = [90, 45, 30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
const EARTH = { left: -180, right: 180, bottom: -90, top: 90 };

// Passing all values as arguments of one call would exceed a limit.
const least = (values: number[]): number => values.reduce((one, other) => Math.min(one, other), Infinity);
const most = (values: number[]): number => values.reduce((one, other) => Math.max(one, other), -Infinity);

export function frameOf(geometry: Geometry): Frame {
  const places = geometry.shapes.flatMap(placesOfShape);
  const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)];
  const [left, right, bottom, top] = [least(xs), most(xs), least(ys), most(ys)];
  const isPoint = left === right && bottom === top;
  if (isPoint && geometry.isEarth) return { ...EARTH, width: WIDTH, height: WIDTH / 2 };
  // A point in the plane is surrounded by an area as wide as its distance from the origin.
  const span = Math.max(right - left, top - bottom) || Math.max(Math.abs(left), Math.abs(top), 1);
  const [spanX, spanY] = [Math.max(right - left, span / 4), Math.max(top - bottom, span / 4)].map((size) => size * (1 + 2 * MARGIN)) as [number, number];
  // Degrees of longitude are shorter away from the equator.
  const narrowing = geometry.isEarth ? Math.max(0.2, Math.cos((((bottom + top) / 2) * Math.PI) / 180)) : 1;
  const height = Math.min(HEIGHTS.most, Math.max(HEIGHTS.least, (WIDTH * spanY) / (spanX * narrowing)));
  // The size of one pixel, equal on both axes.
  const scale = Math.max((spanX * narrowing) / WIDTH, spanY / height);
  const [halfX, halfY] = [(scale * WIDTH) / narrowing / 2, (scale * height) / 2];
  const [x, y] = [(left + right) / 2, (bottom + top) / 2];
  return { left: x - halfX, right: x + halfX, bottom: y - halfY, top: y + halfY, width: WIDTH, height };
}

export function project({ left, right, bottom, top, width, height }: Frame, [x, y]: Place): Place {
  return [((x - left) / (right - left)) * width, ((top - y) / (top - bottom)) * height];
}

function stepOf(span: number, isEarth: boolean): number {
  const steps = isEarth ? DEGREES.toReversed() : [];
  const degrees = steps.find((step) => span / step <= MAX_LINES);
  if (degrees !== undefined) return degrees;
  const power = 10 ** Math.floor(Math.log10(span / MAX_LINES));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => span / step <= MAX_LINES) ?? 10 * power;
}

/** The round numbers between two, at most seven of them. */
export function ticks(from: number, to: number, isEarth: boolean): number[] {
  const step = stepOf(to - from, isEarth);
  const digits = Math.min(100, Math.max(0, -Math.floor(Math.log10(step))));
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => Number(((first + index) * step).toFixed(digits)) || 0);
}

export function degreesOf(value: number, [positive, negative]: readonly [string, string]): string {
  return value === 0 ? "0°" : `${Math.abs(value)}°${value > 0 ? positive : negative}`;
}
