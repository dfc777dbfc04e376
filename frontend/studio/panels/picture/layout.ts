/** Positions of the tables in a diagram: related tables in layers (dagre), the others in rows below them. */
import { graphlib, layout } from "@dagrejs/dagre";
import type { ModelTable } from "../../api/types";

export const BOX = { width: 200, head: 28, line: 20 };
/** Draws only the table's name, when zoomed out. */
export const NAME_BOX = { width: 144, head: 32 };
/** The level of detail. */
export type Detail = "names" | "columns";
const GAP = 48;
const MAX_COLUMNS = 8;

export interface Edge {
  from: string;
  to: string;
  column: string;
}

export interface Box {
  table: ModelTable;
  /** The drawn columns: keys and references first. */
  columns: ModelTable["columns"];
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Drawing {
  boxes: Box[];
  lines: { edge: Edge; points: Point[] }[];
  width: number;
  height: number;
}

export function edgesOf(tables: readonly ModelTable[]): Edge[] {
  const names = new Set(tables.map(({ name }) => name));
  return tables.flatMap((table) =>
    table.columns.flatMap(({ name, references }) => {
      const to = references?.slice(0, references.lastIndexOf("."));
      return to && names.has(to) ? [{ from: table.name, to, column: name }] : [];
    }),
  );
}

/** The tables within some steps of one, nearest first. */
export function around(tables: readonly ModelTable[], center: string, depth: number, most: number): ModelTable[] {
  const neighbours = new Map<string, Set<string>>();
  const link = (a: string, b: string): void => void (neighbours.get(a) ?? neighbours.set(a, new Set()).get(a)!).add(b);
  for (const { from, to } of edgesOf(tables)) {
    link(from, to);
    link(to, from);
  }
  const seen = new Set([center]);
  let ring = [center];
  for (let step = 0; step < depth && seen.size < most; step += 1) {
    ring = ring.flatMap((name) => [...(neighbours.get(name) ?? [])]).filter((name) => !seen.has(name) && seen.size < most && seen.add(name));
  }
  return tables.filter(({ name }) => seen.has(name));
}

/** The table with the most relations: the initial center of a large diagram. */
export function busiest(tables: readonly ModelTable[]): string {
  const counts = new Map<string, number>();
  for (const { from, to } of edgesOf(tables)) for (const name of [from, to]) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? tables[0]?.name ?? "";
}

const weight = (column: ModelTable["columns"][number]): number => (column.primary_key ? 0 : column.references ? 1 : 2);

function boxOf(table: ModelTable, detail: Detail): Box {
  if (detail === "names") return { table, columns: [], x: 0, y: 0, width: NAME_BOX.width, height: NAME_BOX.head };
  const columns = table.columns.toSorted((a, b) => weight(a) - weight(b)).slice(0, MAX_COLUMNS);
  return { table, columns, x: 0, y: 0, width: BOX.width, height: BOX.head + columns.length * BOX.line + 8 };
}

export function draw(tables: readonly ModelTable[], detail: Detail = "columns"): Drawing {
  const edges = edgesOf(tables).filter(({ from, to }) => from !== to);
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const boxes = new Map(tables.map((table) => [table.name, boxOf(table, detail)]));
  const graph = new graphlib.Graph({ multigraph: true });
  const isFar = detail === "names";
  graph.setGraph({ rankdir: "LR", nodesep: isFar ? 12 : 24, ranksep: isFar ? 24 : 72, marginx: isFar ? GAP / 3 : GAP, marginy: isFar ? GAP / 3 : GAP, ranker: "longest-path" });
  for (const box of boxes.values()) if (linked.has(box.table.name)) graph.setNode(box.table.name, { width: box.width, height: box.height });
  for (const { from, to, column } of edges) graph.setEdge(from, to, {}, column);
  if (linked.size > 0) layout(graph);
  const size = graph.graph();
  const bottom = linked.size > 0 ? (size.height ?? 0) : GAP;
  for (const name of linked) {
    const box = boxes.get(name)!;
    const node = graph.node(name);
    box.x = node.x - box.width / 2;
    box.y = node.y - box.height / 2;
  }
  const end = placeRest([...boxes.values()].filter(({ table }) => !linked.has(table.name)), bottom, size.width ?? 0);
  const lines = edges.map((edge) => ({ edge, points: graph.edge(edge.from, edge.to, edge.column).points ?? [] }));
  return { boxes: [...boxes.values()], lines, width: Math.max(size.width ?? 0, end.width), height: end.height };
}

/** The hue of each table: closely related tables share one. Related tables are grouped around the busiest ones. */
export function clusters(tables: readonly ModelTable[], most: number): Map<string, number> {
  const edges = edgesOf(tables).filter(({ from, to }) => from !== to);
  const degree = new Map<string, number>();
  for (const { from, to } of edges) for (const name of [from, to]) degree.set(name, (degree.get(name) ?? 0) + 1);
  const centers = [...degree].toSorted(([a, first], [b, second]) => second - first || a.localeCompare(b)).slice(0, most).map(([name]) => name);
  const cluster = new Map(centers.map((name, index) => [name, index]));
  // Breadth-first: a table belongs to the nearest center.
  let ring = centers;
  while (ring.length > 0) {
    const next: string[] = [];
    for (const name of ring) {
      for (const { from, to } of edges) {
        const other = from === name ? to : to === name ? from : null;
        if (other === null || cluster.has(other)) continue;
        cluster.set(other, cluster.get(name)!);
        next.push(other);
      }
    }
    ring = next;
  }
  return cluster;
}

/** A smooth line through the midpoints of its points, as an SVG path. */
export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.pop();
  if (!first || !last) return "";
  const parts = rest.map(({ x, y }, index) => {
    const next = rest[index + 1];
    const end = next ? { x: (x + next.x) / 2, y: (y + next.y) / 2 } : last;
    return `Q${x},${y} ${end.x},${end.y}`;
  });
  return [`M${first.x},${first.y}`, ...(parts.length > 0 ? parts : [`L${last.x},${last.y}`])].join(" ");
}

function placeRest(boxes: Box[], top: number, width: number): { width: number; height: number } {
  const columns = Math.max(1, Math.floor(Math.max(width, Math.sqrt(boxes.length) * (BOX.width + GAP)) / (BOX.width + GAP)));
  let y = top;
  for (let at = 0; at < boxes.length; at += columns) {
    const row = boxes.slice(at, at + columns);
    row.forEach((box, index) => Object.assign(box, { x: GAP + index * (BOX.width + GAP), y }));
    y += Math.max(...row.map(({ height }) => height)) + GAP / 2;
  }
  return { width: boxes.length > 0 ? columns * (BOX.width + GAP) + GAP : 0, height: y + GAP };
}
