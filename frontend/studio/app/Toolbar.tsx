/** The actions for a table: search, filter, columns, new records, import, export, chart, copies of the request. */
import { type FormEvent, useEffect, useRef, useState } from "react";
import { ChartColumn, Filter, Plus, Search, Table2, Upload } from "lucide-react";
import type { Params } from "../api/client";
import type { TableInfo } from "../api/types";
import { parseFilter } from "../filter/parse";
import { size } from "../filter/tree";
import { change } from "../lib/address";
import type { Listing } from "../lib/listing";
import { ColumnsMenu } from "../panels/ColumnsMenu";
import { CopyMenu } from "../panels/CopyMenu";
import { ExportMenu } from "../panels/ExportMenu";
import { ViewsMenu } from "../panels/ViewsMenu";
import { nextRecord } from "../record/next";
import { placeOf } from "../record/place";
import { T } from "../texts";
import { Button, ICON } from "../ui";

interface Props {
  dataset: string;
  info: TableInfo;
  listing: Listing;
  request: Params;
  isFiltering: boolean;
  isChart: boolean;
  onFilter: () => void;
  onImport: () => void;
}

export function Toolbar({ dataset, info, listing, request, isFiltering, isChart, onFilter, onImport }: Props) {
  const tree = listing.filter ? parseFilter(listing.filter) : null;
  const conditions = listing.filter ? (tree ? size(tree) : 1) : 0;
  return (
    <div className="toolbar" role="toolbar" aria-label={info.plural}>
      <SearchBox search={listing.search} />
      <Button icon={Filter} aria-expanded={isFiltering} onClick={onFilter}>
        {T.filter}
        {conditions > 0 && <span className="badge">{conditions}</span>}
      </Button>
      {!isChart && <ColumnsMenu info={info} listing={listing} />}
      <Button icon={isChart ? Table2 : ChartColumn} onClick={() => change({ view: isChart ? null : "chart" })}>{isChart ? T.grid : T.chart}</Button>
      <ViewsMenu dataset={dataset} table={info.name} />
      <CopyMenu dataset={dataset} info={info} request={request} />
      <ExportMenu dataset={dataset} info={info} request={request} />
      <div className="spring" />
      {info.access.includes("POST") && <Button icon={Upload} onClick={onImport}>{T.import}</Button>}
      {info.access.includes("POST") && (
        <Button tone="primary" icon={Plus} onClick={() => { nextRecord.clear(); change({ open: placeOf(info.name, "") }); }}>{T.newRecord}</Button>
      )}
    </div>
  );
}

const PAUSE_MS = 300;

function SearchBox({ search }: { search: string }) {
  // Input that has not been written to the address yet.
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? search;
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    function pressed(event: KeyboardEvent): void {
      const target = event.target as HTMLElement;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
      event.preventDefault();
      input.current?.focus();
    }
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);

  // Asks once the typing pauses.
  useEffect(() => {
    if (typed === null) return undefined;
    const timer = setTimeout(() => {
      change({ search: typed }, { replace: true });
      setTyped(null);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);

  function submit(event: FormEvent): void {
    event.preventDefault();
    change({ search: text });
    setTyped(null);
  }

  return (
    <form className="search" role="search" onSubmit={submit}>
      <Search {...ICON} />
      <input
        ref={input}
        type="search"
        aria-label={T.search}
        placeholder={T.search}
        value={text}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") (document.querySelector(".grid") as HTMLElement | null)?.focus();
        }}
      />
    </form>
  );
}
