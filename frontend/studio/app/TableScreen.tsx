/** One table: its toolbar, its rows, and the open record. */
import { useQuery } from "@tanstack/react-query";
import { Suspense, lazy, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { tableInfo } from "../api/queries";
import type { TableInfo } from "../api/types";
import { Grid } from "../grid/Grid";
import { useRows } from "../grid/useRows";
import { change, hrefOf, parseAddress, type Address } from "../lib/address";
import { remember } from "../lib/history";
import { paramsOf, readListing } from "../lib/listing";
import { placeOf } from "../record/place";
import { T } from "../texts";
import { Problem, Waiting } from "../ui";
import { Toolbar } from "./Toolbar";
import { FilterPanel } from "../filter/FilterPanel";

const Drawer = lazy(() => import("../record/Drawer"));
const Chart = lazy(() => import("../panels/chart/Chart"));
const Import = lazy(() => import("../panels/import/Import"));

export function TableScreen({ address }: { address: Address }) {
  const info = useQuery(tableInfo(address.dataset, address.table));
  if (info.isPending) return <Waiting />;
  if (info.isError) {
    return (
      <Problem isPage error={info.error} retry={() => void info.refetch()}>
        <a className="button plain" href={hrefOf(address.dataset)}><span className="button-text">{T.toOverview}</span></a>
      </Problem>
    );
  }
  return <Loaded address={address} info={info.data} />;
}

function Loaded({ address, info }: { address: Address; info: TableInfo }) {
  const { dataset, params } = address;
  const text = params.toString();
  const listing = useMemo(() => readListing(info, new URLSearchParams(text)), [info, text]);
  const asked = JSON.stringify(paramsOf(info, listing));
  const request = useMemo(() => JSON.parse(asked) as ReturnType<typeof paramsOf>, [asked]);
  const [window, setWindow] = useState({ first: 0, last: 0 });
  const rows = useRows(dataset, info, request, window);
  const [isFiltering, setFiltering] = useState(false);
  const [isImporting, setImporting] = useState(false);
  const open = params.get("open");
  const isChart = params.get("view") === "chart";
  useRemembered(rows.isPending, asked);

  const openRecord = useCallback((id: string) => change({ open: placeOf(info.name, id) }), [info.name]);
  const count = rows.total ?? rows.estimate;

  return (
    <section className="screen" aria-label={info.plural}>
      <div className="screen-head">
        <h1>{info.name}</h1>
        {info.is_view && <span className="badge">{T.view}</span>}
        {!info.access.includes("PATCH") && !info.is_view && <span className="badge">{T.readOnly}</span>}
        <span className="dim" role="status">{count === null ? "" : rows.total === null ? T.aboutRows(count) : T.rows(count)}</span>
        {info.description && <p className="dim wide-only description">{info.description}</p>}
      </div>
      <Toolbar dataset={dataset} info={info} listing={listing} request={request} isFiltering={isFiltering} isChart={isChart} onFilter={() => setFiltering(!isFiltering)} onImport={() => setImporting(true)} />
      {isFiltering && <FilterPanel info={info} dataset={dataset} text={listing.filter} onClose={() => setFiltering(false)} />}
      <div className="screen-body">
        <Suspense fallback={<Waiting />}>
          {isChart ? (
            <Chart dataset={dataset} info={info} filter={request.filter as string | undefined} params={params} />
          ) : (
            <Grid dataset={dataset} info={info} columns={listing.columns} order={listing.order} params={request} rows={rows} onWindow={setWindow} onOpen={openRecord} isFiltered={Boolean(request.filter)} />
          )}
        </Suspense>
        <Suspense>{open && <Drawer key={`${dataset} ${open}`} dataset={dataset} place={open} />}</Suspense>
      </div>
      <Suspense>{isImporting && <Import dataset={dataset} info={info} onClose={() => setImporting(false)} />}</Suspense>
    </section>
  );
}

/** Adds the request to the history once its first rows have loaded. */
function useRemembered(isPending: boolean, asked: string): void {
  const since = useRef({ asked: "", at: 0 });
  useEffect(() => {
    if (since.current.asked !== asked) since.current = { asked, at: performance.now() };
    if (isPending) return;
    const { dataset, table, params } = parseAddress(location.hash);
    for (const name of ["open", "widths"]) params.delete(name);
    remember(hrefOf(dataset, table, params), performance.now() - since.current.at);
  }, [isPending, asked]);
}
