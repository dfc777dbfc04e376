/** The overview of a database: its largest tables, and those opened recently in this browser. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Suspense, lazy } from "react";
import { Book, BookOpen, List, Network } from "lucide-react";
import { MOUNT, ask, tablePath } from "../api/client";
import { config, tables } from "../api/queries";
import type { TableLine } from "../api/types";
import { hrefOf, parseAddress } from "../lib/address";
import { type Asked, history, said } from "../lib/history";
import { useViews } from "../lib/views";
import { T } from "../texts";
import { Button, ICON, Problem, State, Waiting } from "../ui";

const MOST_TABLES = 12;
const MOST_ASKED = 6;

/** The tables with the most rows; those of unknown size come last. */
export const largest = (all: readonly TableLine[]): TableLine[] => all.toSorted((a, b) => (b.rows ?? -1) - (a.rows ?? -1)).slice(0, MOST_TABLES);

function sizeOf({ is_view, rows }: TableLine): string {
  if (is_view) return T.view;
  return rows === null ? "" : T.compactRows(rows);
}

/** The number of rows visible to the user, if the sizes of the tables are hidden; tables that are not counted are
 omitted. */
const countsOf = (dataset: string, names: readonly string[]) =>
  queryOptions({
    queryKey: ["overview", dataset, "counts", names],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, number>> => {
      const params = { count_only: true };
      const counts = await Promise.allSettled(names.map(async (name) => (await ask<number>(tablePath(dataset, name), { params, signal })).data));
      return new Map(counts.flatMap((count, index) => (count.status === "fulfilled" ? [[names[index]!, count.value] as const] : [])));
    },
  });

/** The addresses of a database opened most recently in this browser. */
function lately(dataset: string): Asked[] {
  return history().filter(({ href }) => parseAddress(href).dataset === dataset).slice(0, MOST_ASKED);
}

const Schema = lazy(() => import("../panels/picture/Schema"));

export function Overview({ dataset, onAll }: { dataset: string; onAll: () => void }) {
  const all = useQuery(tables(dataset));
  const settings = useQuery(config());
  const views = useViews(dataset);
  // With row rules the table sizes are hidden, so tables are sorted by name, and the visible rows are counted.
  const isSized = all.data?.some(({ rows }) => (rows ?? 0) > 0) ?? false;
  const shown = isSized ? largest(all.data ?? []) : (all.data ?? []).slice(0, MOST_TABLES);
  const readable = shown.filter(({ access }) => access.includes("GET")).map(({ name }) => name);
  const counts = useQuery({ ...countsOf(dataset, readable), enabled: all.isSuccess && !isSized }).data;
  if (all.isPending) return <Waiting />;
  if (all.isError) {
    return (
      <Problem isPage error={all.error} retry={() => void all.refetch()}>
        <a className="button plain" href={hrefOf("")}><span className="button-text">{T.toStart}</span></a>
      </Problem>
    );
  }
  if (all.data.length === 0) return <State title={T.nothingHere} />;
  const asked = lately(dataset);
  const docs = settings.data?.docsurl;
  const rows = all.data.reduce((sum, table) => sum + (table.rows ?? 0), 0);
  const most = Math.max(1, ...all.data.map((table) => table.rows ?? 0));
  return (
    <section className="overview" aria-label={T.overview(dataset)}>
      <div className="overview-head">
        <div>
          <h1>{dataset}</h1>
          <p className="dim">{isSized ? T.overviewSize(all.data.length, rows) : T.overviewTables(all.data.length)}</p>
        </div>
        <div className="overview-ways">
          <Button icon={List} className="narrow-only" onClick={onAll}>{T.allTables}</Button>
          <a className="button plain" href={`${MOUNT}/api/docs`}><BookOpen {...ICON} /><span className="button-text">{T.reference}</span></a>
          {docs && <a className="button plain" href={docs}><Book {...ICON} /><span className="button-text">{T.documentation}</span></a>}
        </div>
      </div>
      <div className="overview-parts">
        <div className="panel">
          <div className="panel-head"><h2>{isSized && all.data.length > MOST_TABLES ? T.largest : T.tables}</h2></div>
          <ul className="overview-tables">
            {shown.map((table) => (
              <li key={table.name}>
                <a href={hrefOf(dataset, table.name)}>
                  <strong>{table.name}</strong>
                  <span className="overview-rows">{sizeOf(counts?.has(table.name) ? { ...table, rows: counts.get(table.name)! } : table)}</span>
                  {table.description && <span className="overview-text">{table.description}</span>}
                  {isSized && table.rows !== null && <span className="overview-size" style={{ width: `${Math.max(0.5, (100 * table.rows) / most)}%` }} />}
                </a>
              </li>
            ))}
          </ul>
        </div>
        <div className="overview-side">
          <div className="panel">
            <div className="panel-head">
              <h2>{T.pictureTitle}</h2>
              <a className="button plain" href={hrefOf(dataset, "", { view: "picture" })}><Network {...ICON} /><span className="button-text">{T.pictureOpen}</span></a>
            </div>
            <Suspense fallback={<div className="overview-map" />}><Schema dataset={dataset} /></Suspense>
          </div>
          <div className="panel">
            <div className="panel-head"><h2>{T.views}</h2></div>
            {views.length === 0 ? <p className="dim">{T.viewsNone}</p> : <ul className="overview-lately">{views.map(({ name, href }) => <li key={href + name}><Place href={href} name={name} /></li>)}</ul>}
          </div>
          <div className="panel">
            <div className="panel-head"><h2>{T.lately}</h2></div>
            {asked.length === 0 ? <p className="dim">{T.latelyNone}</p> : <ul className="overview-lately">{asked.map(({ href }) => <li key={href}><Place href={href} /></li>)}</ul>}
          </div>
        </div>
      </div>
    </section>
  );
}

/** An address of a table: its name, or a view's name, and its state. */
function Place({ href, name }: { href: string; name?: string }) {
  const { table, params } = parseAddress(href);
  return <a href={href}><strong>{name ?? table}</strong> <span className="dim">{name ? [table, said(params)].filter(Boolean).join(" · ") : said(params)}</span></a>;
}
