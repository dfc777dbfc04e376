/** A picture of the tables and their relations. With many tables it shows those around one. */
import { useQuery } from "@tanstack/react-query";
import { type CSSProperties, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Download, Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { saveFile } from "../../../shared/savefile";
import { model } from "../../api/queries";
import type { ModelTable } from "../../api/types";
import { useNarrow } from "../../grid/useNarrow";
import { hrefOf } from "../../lib/address";
import { T } from "../../texts";
import { Button, Problem, State, Waiting } from "../../ui";
import { BOX, type Detail, type Drawing, NAME_BOX, around, busiest, clusters, curve, draw } from "./layout";

// More tables neither fit on a screen nor can be laid out quickly.
const MAX_WHOLE = 120;
const DEPTHS = [1, 2, 3];
const SCALES = { least: 0.1, most: 2, step: 1.25 };
// When columns become unreadable, only names are drawn, in smaller boxes; and vice versa.
const FAR = 0.7;
const NEAR = 1.5;
// Names stay readable: a drawing that does not fit scrolls.
const LEAST_NAMES = { wide: 0.8, narrow: 0.95 };
const HUES = [165, 210, 35, 320, 270, 95, 0, 190];

export default function Picture({ dataset }: { dataset: string }) {
  const tables = useQuery(model(dataset));
  if (tables.isPending) return <Waiting />;
  if (tables.isError) return <Problem error={tables.error} retry={() => void tables.refetch()} />;
  if (tables.data.length === 0) return <State title={T.nothingHere} />;
  return <Loaded dataset={dataset} tables={tables.data} />;
}

function Loaded({ dataset, tables }: { dataset: string; tables: ModelTable[] }) {
  const isLarge = tables.length > MAX_WHOLE;
  const isNarrow = useNarrow();
  const [center, setCenter] = useState(() => (isLarge ? busiest(tables) : ""));
  const [depth, setDepth] = useState(1);
  const [scale, setScale] = useState<{ detail: Detail; by: number } | null>(null); // null: fits the window
  const svg = useRef<SVGSVGElement>(null);
  const isKnown = tables.some(({ name }) => name === center);
  const chosen = useMemo(() => (isKnown ? around(tables, center, depth, MAX_WHOLE) : tables.slice(0, MAX_WHOLE)), [tables, center, depth, isKnown]);
  const near = useMemo(() => draw(chosen), [chosen]);
  const far = useMemo(() => draw(chosen, "names"), [chosen]);
  const hues = useMemo(() => clusters(tables, HUES.length), [tables]);
  const scroller = useRef<HTMLDivElement>(null);
  const fitNear = useFit(scroller, near);
  const fitFar = useFit(scroller, far);
  const fitted = fitNear >= FAR ? { detail: "columns" as Detail, by: fitNear } : { detail: "names" as Detail, by: Math.max(fitFar, isNarrow ? LEAST_NAMES.narrow : LEAST_NAMES.wide) };
  const { detail, by } = scale ?? fitted;
  const drawing = detail === "names" ? far : near;

  function zoom(factor: number): void {
    const next = by * factor;
    if (detail === "names" && next > NEAR) setScale({ detail: "columns", by: FAR });
    else if (detail === "columns" && next < FAR * 0.9 && fitNear < FAR) setScale({ detail: "names", by: NEAR / SCALES.step });
    else setScale({ detail, by: Math.min(SCALES.most, Math.max(detail === "names" ? fitFar : SCALES.least, next)) });
  }

  // A drawing larger than the window starts at its busiest table.
  const middle = isKnown ? center : busiest(chosen);
  useEffect(() => {
    const box = drawing.boxes.find(({ table }) => table.name === middle);
    const element = scroller.current;
    if (box && element) element.scrollTo((box.x + box.width / 2) * by - element.clientWidth / 2, (box.y + box.height / 2) * by - element.clientHeight / 2);
    // oxlint-disable-next-line react/exhaustive-deps -- a larger scale keeps its place
  }, [drawing, middle]);

  return (
    <section className="screen" aria-label={T.pictureTitle}>
      <div className="screen-head"><h1>{T.pictureTitle}</h1><span className="dim" role="status">{T.pictureCut(chosen.length, tables.length)}</span></div>
      <div className="toolbar">
        <label className="labelled row-label picture-center">
          <span className="labelled-name">{T.pictureCenter}</span>
          <select className="input small" value={isKnown ? center : ""} onChange={(event) => { setCenter(event.target.value); setScale(null); }}>
            {!isLarge && <option value="">{T.pictureAll}</option>}
            {tables.map(({ name }) => <option key={name}>{name}</option>)}
          </select>
        </label>
        {isKnown && (
          <label className="labelled row-label">
            <span className="labelled-name">{T.pictureDepth}</span>
            <select className="input small" value={depth} onChange={(event) => { setDepth(Number(event.target.value)); setScale(null); }}>
              {DEPTHS.map((steps) => <option key={steps}>{steps}</option>)}
            </select>
          </label>
        )}
        <div className="spring" />
        <Button icon={ZoomOut} aria-label={T.pictureZoomOut} title={T.pictureZoomOut} onClick={() => zoom(1 / SCALES.step)} />
        <Button icon={ZoomIn} aria-label={T.pictureZoomIn} title={T.pictureZoomIn} onClick={() => zoom(SCALES.step)} />
        <Button icon={Maximize} aria-label={T.pictureFit} title={T.pictureFit} disabled={scale === null} onClick={() => setScale(null)} />
        <Button icon={Download} className="wide-only" onClick={() => svg.current && saveFile(standalone(svg.current), `${dataset}.svg`)}>{T.pictureSave}</Button>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard */}
      <div ref={scroller} className="picture-scroll" tabIndex={0} role="region" aria-label={T.pictureRegion}>
        <svg ref={svg} className="picture" width={drawing.width * by} height={drawing.height * by} viewBox={`0 0 ${drawing.width} ${drawing.height}`}>
          <Drawn drawing={drawing} dataset={dataset} detail={detail} hues={hues} />
        </svg>
      </div>
    </section>
  );
}

/** All tables by name, in a small frame. */
export function Miniature({ tables, dataset }: { tables: ModelTable[]; dataset: string }) {
  const drawing = useMemo(() => draw(tables.slice(0, MAX_WHOLE), "names"), [tables]);
  const hues = useMemo(() => clusters(tables, HUES.length), [tables]);
  return (
    <svg className="picture" viewBox={`0 0 ${drawing.width} ${drawing.height}`} preserveAspectRatio="xMidYMid meet" aria-hidden>
      <Drawn drawing={drawing} dataset={dataset} detail="names" hues={hues} isFlat />
    </svg>
  );
}

/** The largest scale, at most 1, at which the whole drawing is visible. */
function useFit(scroller: RefObject<HTMLDivElement | null>, { width, height }: Drawing): number {
  const [fit, setFit] = useState(1);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return undefined;
    const measure = () => setFit(Math.max(SCALES.least, Math.min(1, box.clientWidth / width, box.clientHeight / height)));
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    measure();
    return () => observer.disconnect();
  }, [scroller, width, height]);
  return fit;
}

interface DrawnProps {
  drawing: Drawing;
  dataset: string;
  detail: Detail;
  hues: ReadonlyMap<string, number>;
  /** Whether the tables are plain shapes instead of links. */
  isFlat?: boolean;
}

function Drawn({ drawing: { boxes, lines }, dataset, detail, hues, isFlat = false }: DrawnProps) {
  return (
    <>
      {lines.map(({ edge, points }) => (
        <path key={`${edge.from} ${edge.column}`} className="picture-line" d={curve(points)}>
          <title>{`${edge.from}.${edge.column} → ${edge.to}`}</title>
        </path>
      ))}
      {boxes.map((box) => {
        const cluster = hues.get(box.table.name);
        const colors = cluster === undefined ? {} : { className: "avatar-colors picture-hue", style: { "--hue": HUES[cluster] } as CSSProperties };
        const shape = (
          <g transform={`translate(${box.x} ${box.y})`} {...colors}>
            {detail === "names" ? <Name box={box} /> : <Columns box={box} />}
          </g>
        );
        return isFlat ? <g key={box.table.name}>{shape}</g> : <a key={box.table.name} href={hrefOf(dataset, box.table.name)} aria-label={box.table.name}>{shape}</a>;
      })}
    </>
  );
}

function Name({ box: { table, width, height } }: { box: Drawing["boxes"][number] }) {
  return (
    <>
      <rect className="picture-box" width={width} height={height} rx={8} />
      <text className="picture-name" x={NAME_BOX.width / 2} y={20} textAnchor="middle">{short(table.name, 19)}</text>
    </>
  );
}

function Columns({ box: { table, columns, width, height } }: { box: Drawing["boxes"][number] }) {
  return (
    <>
      <rect className="picture-box plain" width={width} height={height} rx={8} />
      <path className="picture-head" d={`M0,${BOX.head} V8 Q0,0 8,0 H${width - 8} Q${width},0 ${width},8 V${BOX.head} Z`} />
      <text className="picture-name" x={12} y={19}>{short(table.name, 26)}</text>
      <line className="picture-rule" x1={0} x2={width} y1={BOX.head} y2={BOX.head} />
      {columns.map((column, index) => (
        <text key={column.name} className={column.primary_key ? "picture-key" : "picture-column"} x={12} y={BOX.head + 16 + index * BOX.line}>
          {short(`${column.name}${column.references ? " →" : ""}`, 28)}
        </text>
      ))}
    </>
  );
}

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const KEPT = ["fill", "stroke", "stroke-width", "font-family", "font-size", "font-weight"];

/** The picture as a standalone file, with the page's styles. */
function standalone(svg: SVGSVGElement): Blob {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [...svg.querySelectorAll<SVGElement>("*")];
  [...copy.querySelectorAll<SVGElement>("*")].forEach((element, index) => {
    const style = getComputedStyle(originals[index]!);
    for (const name of KEPT) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute("class");
    element.removeAttribute("href");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const back = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor })) back.setAttribute(name, value);
  copy.prepend(back);
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
}
