/** What a database holds, before a table is chosen: its largest tables, and what this browser opened last. */
import { useQuery } from "@tanstack/react-query";
import { Book, BookOpen, List, Network } from "lucide-react";
import { MOUNT } from "../api/client";
import { config, tables } from "../api/queries";
import type { TableLine } from "../api/types";
import { hrefOf, parseAddress } from "../lib/address";
import { type Asked, history, said } from "../lib/history";
import { T } from "../texts";
import { Button, ICON, Problem, State, Waiting } from "../ui";

const MOST_TABLES = 12;
const MOST_ASKED = 4;

/** The tables with the most rows, those of an unknown size last. */
export const largest = (all: readonly TableLine[]): TableLine[] => all.toSorted((a, b) => (b.rows ?? -1) - (a.rows ?? -1)).slice(0, MOST_TABLES);

function sizeOf({ is_view, rows }: TableLine): string {
  if (is_view) return T.view;
  return rows === null ? "" : T.compactRows(rows);
}

/** The addresses of a database that this browser opened last. */
function lately(dataset: string): Asked[] {
  return history().filter(({ href }) => parseAddress(href).dataset === dataset).slice(0, MOST_ASKED);
}

export function Overview({ dataset, onAll }: { dataset: string; onAll: () => void }) {
  const all = useQuery(tables(dataset));
  const settings = useQuery(config());
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
  return (
    <section className="overview" aria-label={T.overview(dataset)}>
      <div className="overview-head">
        <h1>{dataset}</h1>
        <p className="dim">{T.overviewSize(all.data.length, rows)}</p>
      </div>
      <div className="overview-ways">
        <Button icon={List} className="narrow-only" onClick={onAll}>{T.allTables}</Button>
        <a className="button plain" href={hrefOf(dataset, "", { view: "picture" })}><Network {...ICON} /><span className="button-text">{T.pictureTitle}</span></a>
        <a className="button plain" href={`${MOUNT}/api/docs`}><BookOpen {...ICON} /><span className="button-text">{T.reference}</span></a>
        {docs && <a className="button plain" href={docs}><Book {...ICON} /><span className="button-text">{T.documentation}</span></a>}
      </div>
      {asked.length > 0 && (
        <>
          <h2>{T.lately}</h2>
          <ul className="overview-lately">
            {asked.map(({ href }) => <li key={href}><Lately href={href} /></li>)}
          </ul>
        </>
      )}
      <h2>{all.data.length > MOST_TABLES ? T.largest : T.tables}</h2>
      <ul className="overview-tables">
        {largest(all.data).map((table) => (
          <li key={table.name}>
            <a href={hrefOf(dataset, table.name)}>
              <strong>{table.name}</strong>
              <span className="overview-rows">{sizeOf(table)}</span>
              {table.description && <span className="overview-text">{table.description}</span>}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Lately({ href }: { href: string }) {
  const { table, params } = parseAddress(href);
  return <a href={href}><strong>{table}</strong> <span className="dim">{said(params)}</span></a>;
}
