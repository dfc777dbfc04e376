/** A picture of the tables and their relations. With many tables it shows those around one. */
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Download, Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { model } from "../../api/queries";
import type { ModelTable } from "../../api/types";
import { hrefOf } from "../../lib/address";
import { saveBlob } from "../../lib/save";
import { T } from "../../texts";
import { Button, Problem, State, Waiting } from "../../ui";
import { BOX, type Drawing, around, busiest, curve, draw } from "./layout";

// More at once neither fit on a screen nor are laid out in a moment.
const MAX_WHOLE = 120;
const DEPTHS = [1, 2, 3];
const SCALES = { least: 0.1, most: 2, step: 1.25 };

export default function Picture({ dataset }: { dataset: string }) {
  const tables = useQuery(model(dataset));
  if (tables.isPending) return <Waiting />;
  if (tables.isError) return <Problem error={tables.error} retry={() => void tables.refetch()} />;
  if (tables.data.length === 0) return <State title={T.nothingHere} />;
  return <Loaded dataset={dataset} tables={tables.data} />;
}

function Loaded({ dataset, tables }: { dataset: string; tables: ModelTable[] }) {
  const isLarge = tables.length > MAX_WHOLE;
  const [center, setCenter] = useState(() => (isLarge ? busiest(tables) : ""));
  const [depth, setDepth] = useState(1);
  const [scale, setScale] = useState<number | null>(null); // null: as large as the window allows
  const svg = useRef<SVGSVGElement>(null);
  const isKnown = tables.some(({ name }) => name === center);
  const chosen = useMemo(() => (isKnown ? around(tables, center, depth, MAX_WHOLE) : tables.slice(0, MAX_WHOLE)), [tables, center, depth, isKnown]);
  const drawing = useMemo(() => draw(chosen), [chosen]);
  const scroller = useRef<HTMLDivElement>(null);
  const fit = useFit(scroller, drawing);
  const shown = scale ?? fit;

  return (
    <section className="screen" aria-label={T.pictureTitle}>
      <div className="screen-head"><h1>{T.pictureTitle}</h1><span className="dim" role="status">{T.pictureCut(chosen.length, tables.length)}</span></div>
      <div className="toolbar">
        <label className="labelled row-label">
          <span className="labelled-name">{T.pictureCenter}</span>
          <input className="input small" list="picture-tables" value={center} placeholder={T.pictureAll} onChange={(event) => setCenter(event.target.value)} />
        </label>
        <datalist id="picture-tables">{tables.map(({ name }) => <option key={name}>{name}</option>)}</datalist>
        <label className="labelled row-label">
          <span className="labelled-name">{T.pictureDepth}</span>
          <select className="input small" value={depth} disabled={!isKnown} onChange={(event) => setDepth(Number(event.target.value))}>
            {DEPTHS.map((steps) => <option key={steps}>{steps}</option>)}
          </select>
        </label>
        <div className="spring" />
        <Button icon={ZoomOut} aria-label={T.pictureZoomOut} title={T.pictureZoomOut} onClick={() => setScale(Math.max(SCALES.least, shown / SCALES.step))} />
        <Button icon={ZoomIn} aria-label={T.pictureZoomIn} title={T.pictureZoomIn} onClick={() => setScale(Math.min(SCALES.most, shown * SCALES.step))} />
        <Button icon={Maximize} aria-label={T.pictureFit} title={T.pictureFit} disabled={scale === null} onClick={() => setScale(null)} />
        <Button icon={Download} onClick={() => svg.current && saveBlob(standalone(svg.current), `${dataset}.svg`)}>{T.pictureSave}</Button>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard */}
      <div ref={scroller} className="picture-scroll" tabIndex={0} role="region" aria-label={T.picture}>
        <svg ref={svg} className="picture" width={drawing.width * shown} height={drawing.height * shown} viewBox={`0 0 ${drawing.width} ${drawing.height}`}>
          <Drawn drawing={drawing} dataset={dataset} />
        </svg>
      </div>
    </section>
  );
}

/** The largest scale, 1 at most, at which the whole drawing is in view. */
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

function Drawn({ drawing: { boxes, lines }, dataset }: { drawing: Drawing; dataset: string }) {
  return (
    <>
      {lines.map(({ edge, points }) => (
        <path key={`${edge.from} ${edge.column}`} className="picture-line" d={curve(points)}>
          <title>{`${edge.from}.${edge.column} → ${edge.to}`}</title>
        </path>
      ))}
      {boxes.map(({ table, columns, x, y, width, height }) => (
        <a key={table.name} href={hrefOf(dataset, table.name)} aria-label={table.name}>
          <g transform={`translate(${x} ${y})`}>
            <rect className="picture-box" width={width} height={height} rx={8} />
            <text className="picture-name" x={12} y={19}>{short(table.name, 26)}</text>
            <line className="picture-rule" x1={0} x2={width} y1={BOX.head} y2={BOX.head} />
            {columns.map((column, index) => (
              <text key={column.name} className={column.primary_key ? "picture-key" : "picture-column"} x={12} y={BOX.head + 16 + index * BOX.line}>
                {short(`${column.name}${column.references ? " →" : ""}`, 28)}
              </text>
            ))}
          </g>
        </a>
      ))}
    </>
  );
}

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const KEPT = ["fill", "stroke", "stroke-width", "font-family", "font-size", "font-weight"];

/** The picture as a file of its own: with the styles that the page gives it. */
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
