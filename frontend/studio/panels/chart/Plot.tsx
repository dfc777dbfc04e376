/** Bars or a line in real pixels, with the value of the point under the pointer or the focus. */
import { useEffect, useRef, useState } from "react";
import { T } from "../../texts";
import { type Point, scaleOf } from "./groups";

const HEIGHT = 280;
const LEFT = 72;
const TOP = 16;
const BOTTOM = 32;
const LABEL_WIDTH = 72;
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });

function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}

export function Plot({ points, kind, title }: { points: Point[]; kind: "bar" | "line"; title: string }) {
  const { element, width } = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const { low, high, steps } = scaleOf(points.map(({ value }) => value ?? 0));
  const slot = Math.max(0, width - LEFT) / points.length;
  const x = (index: number): number => LEFT + (index + 0.5) * slot;
  const y = (value: number): number => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / Math.max(1, slot)));
  const bar = Math.max(1, Math.min(24, slot * 0.6));
  const path = points.map(({ value }, index) => `${index === 0 ? "M" : "L"}${x(index)},${y(value ?? 0)}`).join(" ");
  const point = active === null ? null : points[active];

  return (
    <div ref={element} className="plot">
      <svg width={width} height={HEIGHT} role="img" aria-label={title} onPointerLeave={() => setActive(null)}>
        {steps.map((step) => (
          <g key={step}>
            <line className="plot-line" x1={LEFT} x2={width} y1={y(step)} y2={y(step)} />
            <text className="plot-text" x={LEFT - 8} y={y(step) + 4} textAnchor="end">{compact.format(step)}</text>
          </g>
        ))}
        {kind === "line" && <path className="plot-path" d={path} />}
        <defs>
          <pattern id="plot-part" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect className="plot-part-ground" width="6" height="6" />
            <rect className="plot-part-line" width="3" height="6" />
          </pattern>
        </defs>
        {points.map(({ label, value, isPart }, index) => (
          <g key={`${label} ${index}`} onPointerEnter={() => setActive(index)}>
            <rect className="plot-slot" x={x(index) - slot / 2} y={TOP} width={slot} height={HEIGHT - TOP - BOTTOM} />
            {kind === "bar" && <rect className={`plot-bar ${index === active ? "active" : ""} ${isPart ? "part" : ""}`} rx={2} x={x(index) - bar / 2} y={Math.min(y(value ?? 0), y(0))} width={bar} height={Math.abs(y(value ?? 0) - y(0))} />}
            {kind === "line" && <circle className="plot-dot" cx={x(index)} cy={y(value ?? 0)} r={index === active ? 4 : 2} />}
            {index % every === 0 && <text className="plot-text" x={x(index)} y={HEIGHT - 8} textAnchor="middle">{label.slice(0, 14)}</text>}
          </g>
        ))}
      </svg>
      {point && active !== null && (
        <div className="plot-tip" style={{ left: Math.min(Math.max(x(active), 80), Math.max(80, width - 80)) }}>
          <strong>{point.value?.toLocaleString("en") ?? "null"}</strong> {point.label}{point.isPart && `, ${T.chartPart}`}
        </div>
      )}
    </div>
  );
}
