/** Asks for confirmation before a record is deleted, and lists the records that refer to it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "../../shared/toasts";
import { ask, recordPath, tablePath } from "../api/client";
import { written } from "../api/queries";
import type { Row, TableInfo } from "../api/types";
import { change } from "../lib/address";
import { labelOf } from "../lib/format";
import { doneWithUndo } from "../lib/undo";
import { T } from "../texts";
import { Button, Dialog, Waiting } from "../ui";
import { childCounts, children } from "./children";
import { RequestError } from "./Why";

interface Props {
  dataset: string;
  info: TableInfo;
  id: string;
  row: Row;
  etag: string | null;
  onClose: () => void;
}

export function DeleteDialog({ dataset, info, id, row, etag, onClose }: Props) {
  const client = useQueryClient();
  const [rejected, setRejected] = useState<Error | null>(null);
  const counts = useQuery(childCounts(dataset, info, id));
  const referring = children(info).filter(({ type, name }) => type !== "many_many" && (counts.data?.[name] ?? 0) > 0);

  async function remove(): Promise<void> {
    try {
      await ask(recordPath(dataset, info.name, id), { method: "DELETE", headers: etag ? { "If-Match": etag } : {} });
    } catch (error) {
      setRejected(error as Error);
      return;
    }
    change({ open: null }, { replace: true });
    await written(client, dataset);
    const values = Object.fromEntries(info.field.filter(({ create }) => create).map(({ name }) => [name, row[name] ?? null]));
    if (!info.access.includes("POST")) return toast(T.deleted);
    doneWithUndo(T.deleted, async () => {
      await ask(tablePath(dataset, info.name), { method: "POST", body: { resource: [values] } });
      await written(client, dataset);
    });
  }

  return (
    <Dialog title={T.deleteTitle(labelOf(info, row))} onClose={onClose}>
      {counts.isPending && <Waiting />}
      {counts.isSuccess && (referring.length === 0 ? <p>{T.deleteNone}</p> : (
        <>
          <p>{T.deleteRefers}</p>
          <ul className="refers">
            {referring.map(({ name, ref_table, ref_field }) => <li key={name}><strong>{(counts.data[name] ?? 0).toLocaleString("en")}</strong> {ref_table} ({ref_field})</li>)}
          </ul>
          <p className="dim">{T.deleteHint}</p>
        </>
      ))}
      {rejected && <RequestError message={rejected.message} error={rejected} />}
      <div className="actions">
        <Button tone="danger" onClick={() => void remove()}>{T.remove}</Button>
        <Button onClick={onClose}>{T.cancel}</Button>
      </div>
    </Dialog>
  );
}
