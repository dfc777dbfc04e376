/** A record next to the grid: its fields, its relations, and its actions. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ArrowLeft, ArrowRight, Copy, Ellipsis, ShieldQuestion, Trash2, X } from "lucide-react";
import { type SentRequest, recordPath } from "../api/client";
import { record, tableInfo } from "../api/queries";
import type { Row, TableInfo } from "../api/types";
import { change } from "../lib/address";
import { labelOf } from "../lib/format";
import { T } from "../texts";
import { Button, Popover, Problem, Waiting } from "../ui";
import { DeleteDialog } from "./DeleteDialog";
import { nextRecord } from "./next";
import { placeOf, readPlace } from "./place";
import { RecordForm } from "./RecordForm";
import { Relations } from "./Relations";
import { Why } from "./Why";

const closeDrawer = (): void => {
  change({ open: null });
  document.querySelector<HTMLElement>(".grid")?.focus();
};

export default function Drawer({ dataset, place }: { dataset: string; place: string }) {
  const { table, id } = readPlace(place);
  const panel = useRef<HTMLElement>(null);
  const info = useQuery(tableInfo(dataset, table));

  useEffect(() => panel.current?.focus(), []);
  useEffect(() => {
    function pressed(event: KeyboardEvent): void {
      if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) closeDrawer();
    }
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);

  return (
    <aside ref={panel} className="drawer" aria-label={T.openRecord(`${table} ${id}`.trim())} tabIndex={-1}>
      <div className="drawer-bar">
        <Button tone="ghost" icon={ArrowLeft} aria-label={T.back} onClick={() => history.back()} />
        <Button tone="ghost" icon={ArrowRight} aria-label={T.forward} onClick={() => history.forward()} />
        <span className="dim drawer-table">{table}</span>
        <div className="spring" />
        <Button tone="ghost" icon={X} aria-label={T.close} onClick={closeDrawer} />
      </div>
      {info.isPending && <Waiting />}
      {info.isError && <Problem error={info.error} retry={() => void info.refetch()} />}
      {info.data && (id ? <Existing dataset={dataset} info={info.data} id={id} /> : <Fresh dataset={dataset} info={info.data} />)}
    </aside>
  );
}

function Existing({ dataset, info, id }: { dataset: string; info: TableInfo; id: string }) {
  const read = useQuery(record(dataset, info.name, id));
  if (read.isPending) return <Waiting />;
  if (read.isError) return <Problem error={read.error} retry={() => void read.refetch()} />;
  return (
    <div className="drawer-scroll">
      <div className="drawer-head">
        <h2 className="drawer-title">{labelOf(info, read.data.data)}</h2>
        <Actions dataset={dataset} info={info} id={id} row={read.data.data} etag={read.data.etag} />
      </div>
      <Relations dataset={dataset} info={info} id={id} row={read.data.data} />
      <RecordForm dataset={dataset} info={info} id={id} row={read.data.data} etag={read.data.etag} />
    </div>
  );
}

interface ActionsProps {
  dataset: string;
  info: TableInfo;
  id: string;
  row: Row;
  etag: string | null;
}

/** The actions on a record as a whole. */
function Actions({ dataset, info, id, row, etag }: ActionsProps) {
  const [isDeleting, setDeleting] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [duplicates, deletes] = ["POST", "DELETE"].map((verb) => info.access.includes(verb));
  if (!duplicates && !deletes) return null;

  function duplicate(): void {
    nextRecord.begin(info, row);
    change({ open: placeOf(info.name, "") });
  }

  return (
    <>
      <Popover label={T.more} icon={Ellipsis} align="end" tone="ghost">
        {(close) => (
          <ul className="menu-list">
            {duplicates && <li><Button tone="ghost" icon={Copy} onClick={() => { close(); duplicate(); }}>{T.duplicate}</Button></li>}
            <li><Button tone="ghost" icon={ShieldQuestion} onClick={() => { close(); setAsking(true); }}>{T.whyMenu}</Button></li>
            {deletes && <li><Button tone="danger" icon={Trash2} onClick={() => { close(); setDeleting(true); }}>{T.remove}</Button></li>}
          </ul>
        )}
      </Popover>
      {isAsking && <Why requests={requestsOf(dataset, info, id, row)} onClose={() => setAsking(false)} />}
      {isDeleting && <DeleteDialog dataset={dataset} info={info} id={id} row={row} etag={etag} onClose={() => setDeleting(false)} />}
    </>
  );
}

/** The requests to explain for a record: reading it, writing it unchanged, and deleting it. */
function requestsOf(dataset: string, info: TableInfo, id: string, row: Row): Record<string, SentRequest> {
  const path = recordPath(dataset, info.name, id);
  const field = info.field.find(({ name, update }) => update && !info.primary_key.includes(name));
  return {
    GET: { path, method: "GET" },
    ...(field && { PATCH: { path, method: "PATCH", body: { [field.name]: row[field.name] ?? null } } }),
    DELETE: { path, method: "DELETE" },
  };
}

function Fresh({ dataset, info }: { dataset: string; info: TableInfo }) {
  return (
    <div className="drawer-scroll">
      <h2 className="drawer-title">{T.newRecord}</h2>
      <RecordForm dataset={dataset} info={info} id="" row={{}} etag={null} />
    </div>
  );
}
