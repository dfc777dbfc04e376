/** A geometry on a plain map: its outline over a graticule. It loads no tiles, so no map server learns the location. */
import { degreesOf, frameOf, project, ticks, type Frame } from "./frame";
import { type Geometry, type Place, type Shape, inWords } from "./shapes";

const EAST = ["E", "W"] as const;
const NORTH = ["N", "S"] as const;
const DOT = 5;

export function GeometryMap({ geometry }: { geometry: Geometry }) {
  const frame = frameOf(geometry);
  const { width, height } = frame;
  return (
    <figure className="map">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={inWords(geometry)}>
        <Graticule frame={frame} isEarth={geometry.isEarth} />
        {geometry.shapes.map((shape, index) => <Drawn key={index} shape={shape} frame={frame} />)}
      </svg>
      <figcaption className="dim">{inWords(geometry)}</figcaption>
    </figure>
  );
}

function Graticule({ frame, isEarth }: { frame: Frame; isEarth: boolean }) {
  const { left, right, bottom, top, width, height } = frame;
  return (
    <g aria-hidden>
      {ticks(left, right, isEarth).map((value) => {
        const [x] = project(frame, [value, top]);
        return (
          <g key={value}>
            <line className={value === 0 ? "map-zero" : "map-line"} x1={x} x2={x} y1={0} y2={height} />
            <text className="map-text" x={Math.min(x + 4, width - 36)} y={height - 6}>{isEarth ? degreesOf(value, EAST) : value}</text>
          </g>
        );
      })}
      {ticks(bottom, top, isEarth).map((value) => {
        const [, y] = project(frame, [left, value]);
        return (
          <g key={value}>
            <line className={value === 0 ? "map-zero" : "map-line"} x1={0} x2={width} y1={y} y2={y} />
            <text className="map-text" x={4} y={Math.max(y - 4, 12)}>{isEarth ? degreesOf(value, NORTH) : value}</text>
          </g>
        );
      })}
    </g>
  );
}

function pathOf(frame: Frame, places: readonly Place[], end: string): string {
  const points = places.map((place) => project(frame, place).map((pixel) => pixel.toFixed(1)).join(","));
  return `M${points.join("L")}${end}`;
}

function Drawn({ shape, frame }: { shape: Shape; frame: Frame }) {
  if (shape.kind === "line") return <path className="map-path" d={pathOf(frame, shape.points, "")} />;
  if (shape.kind === "area") return <path className="map-area" fillRule="evenodd" d={shape.rings.map((ring) => pathOf(frame, ring, "Z")).join("")} />;
  const [x, y] = project(frame, shape.at);
  if (shape.kind === "point") return <circle className="map-dot" cx={x} cy={y} r={DOT} />;
  const [edge] = project(frame, [shape.at[0] + shape.radius, shape.at[1]]);
  return <circle className="map-area" cx={x} cy={y} r={Math.abs(edge - x)} />;
}
