/** Groups of rows as bars, a line or a table. The database aggregates; the page only draws. */
import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { list } from "../../api/queries";
import type { Json, TableInfo } from "../../api/types";
import { change } from "../../lib/address";
import { shown } from "../../lib/format";
import { T } from "../../texts";
import { Problem, State, Waiting } from "../../ui";
import { Plot } from "./Plot";
import { KINDS, type Offered, endsRequest, groupsOf, measuresOf, MAX_GROUPS, partsOf, pointsOf, readChoice, requestOf } from "./groups";

/** The text of a choice in its list. */
const textOf = (offered: readonly Offered[], value: string): string => offered.find((one) => one.value === value)?.text ?? value;

/** A time to the minute, or a date. */
const momentOf = (value: Json | undefined): string => shown(value).slice(0, 16);

const KIND_TEXT = { bar: T.chartBar, line: T.chartLine, table: T.chartTable };

export default function Chart({ dataset, info, filter, params }: { dataset: string; info: TableInfo; filter: string | undefined; params: URLSearchParams }) {
  const choice = readChoice(info, params);
  const groups = useQuery(list(dataset, info.name, requestOf(choice, filter), { previous: true }));
  const rows = groups.data?.resource ?? [];
  const ends = useQuery({ ...list(dataset, info.name, endsRequest(choice, filter) ?? {}), enabled: endsRequest(choice, filter) !== null });
  const [now] = useState(() => Date.now());
  const span = ends.data?.resource[0];
  const parts = partsOf(choice.group, [rows[0]?.label, rows.at(-1)?.label], span, now);
  const points = pointsOf(rows, choice.group).map((point, index, all) => ({ ...point, isPart: (index === 0 && parts.first) || (index === all.length - 1 && parts.last) }));
  const offered = { groups: groupsOf(info), measures: measuresOf(info) };
  const [groupText, measureText] = [textOf(offered.groups, choice.group), textOf(offered.measures, choice.measure)];
  const notes = [
    parts.last && points.length > 0 ? T.chartEnds(points.at(-1)!.label, momentOf(span?.ends)) : "",
    parts.first && points.length > 1 ? T.chartBegins(points[0]!.label, momentOf(span?.begins)) : "",
  ].filter(Boolean);
  return (
    <div className="chart">
      <div className="chart-bar">
        <Choose label={T.chartGroup} name="group" value={choice.group} offered={offered.groups} />
        <Choose label={T.chartMeasure} name="measure" value={choice.measure} offered={offered.measures} />
        <Choose label={T.chartKind} name="kind" value={choice.kind} offered={KINDS.map((kind) => ({ value: kind, text: KIND_TEXT[kind] }))} />
      </div>
      {groups.isPending && <Waiting />}
      {groups.isError && <Problem error={groups.error} retry={() => void groups.refetch()} />}
      {groups.isSuccess && points.length === 0 && <State title={T.chartNone} />}
      {points.length > 0 && choice.kind !== "table" && <Plot points={points} kind={choice.kind} title={`${measureText} · ${groupText}`} />}
      {notes.length > 0 && <p className="dim chart-note" role="status"><span className="plot-key" aria-hidden /> {notes.join(" ")}</p>}
      {points.length > 0 && (
        <div className="chart-table">
          <table className="plain-table">
            <caption className="visually-hidden">{T.chart}</caption>
            <thead><tr><th scope="col">{groupText}</th><th scope="col" className="right">{measureText}</th></tr></thead>
            <tbody>
              {points.map(({ label, value, isPart }, index) => (
                <tr key={`${label} ${index}`}><th scope="row">{label}{isPart && <span className="dim"> {T.chartPart}</span>}</th><td className="right">{value?.toLocaleString("en") ?? T.null}</td></tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {points.length === MAX_GROUPS && <p className="dim">{T.chartCut(MAX_GROUPS)}</p>}
    </div>
  );
}

function Choose({ label, name, value, offered }: { label: string; name: string; value: string; offered: Offered[] }) {
  return (
    <label className="labelled row-label">
      <span className="labelled-name">{label}</span>
      <select className="input small" value={value} onChange={(event) => change({ [name]: event.target.value }, { replace: true })}>
        {offered.map((one) => <option key={one.value} value={one.value}>{one.text}</option>)}
      </select>
    </label>
  );
}
