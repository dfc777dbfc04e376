/** Actions for the selected rows: export, copy as SQL, delete. */
import { useState } from "react";
import { ClipboardCopy, Trash2, X } from "lucide-react";
import { useQueryClient } from "@tanstack/react-query";
import { ask, tablePath } from "../api/client";
import { written } from "../api/queries";
import type { Params } from "../api/client";
import type { Row, TableInfo } from "../api/types";
import { nameOf, quoted } from "../filter/tree";
import { copyAndReport } from "../lib/copy";
import { shown } from "../lib/format";
import { insertsOf } from "../lib/sql";
import { doneWithUndo } from "../lib/undo";
import { ExportMenu } from "../panels/ExportMenu";
import { withRule } from "../record/rule";
import { RequestError } from "../record/Why";
import { T } from "../texts";
import { Button, Dialog } from "../ui";
import type { Selected } from "./useSelection";

/** The filter that selects rows by their keys. */
export function filterOf(info: TableInfo, rows: readonly Row[]): string {
  const [only, ...others] = info.primary_key;
  if (only && others.length === 0) return `${nameOf(only)} IN (${rows.map((row) => quoted(shown(row[only]))).join(", ")})`;
  return rows.map((row) => `(${info.primary_key.map((name) => `${nameOf(name)} = ${quoted(shown(row[name]))}`).join(" AND ")})`).join(" OR ");
}

interface Props {
  dataset: string;
  info: TableInfo;
  selected: Selected;
  params: Params;
  onClear: () => void;
}

export default function SelectionBar({ dataset, info, selected, params, onClear }: Props) {
  const [isDeleting, setDeleting] = useState(false);
  const rows = [...selected.values()];
  return (
    <div className="selection-bar" role="region" aria-label={T.selection}>
      <strong role="status">{T.selected(rows.length)}</strong>
      <ExportMenu dataset={dataset} info={info} request={{ ...params, filter: filterOf(info, rows) }} isSelection />
      <Button icon={ClipboardCopy} onClick={() => void copyAndReport(insertsOf(info, rows))}>{T.copySql}</Button>
      {info.access.includes("DELETE") && <Button tone="danger" icon={Trash2} onClick={() => setDeleting(true)}>{T.remove}</Button>}
      <Button tone="ghost" icon={X} aria-label={T.clearSelection} title={T.clearSelection} onClick={onClear} />
      {isDeleting && <DeleteMany dataset={dataset} info={info} rows={rows} onClose={() => setDeleting(false)} onDone={onClear} />}
    </div>
  );
}

function DeleteMany({ dataset, info, rows, onClose, onDone }: { dataset: string; info: TableInfo; rows: Row[]; onClose: () => void; onDone: () => void }) {
  const client = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [rejected, setRejected] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const path = tablePath(dataset, info.name);

  async function remove(): Promise<void> {
    setBusy(true);
    setProblem(null);
    const keys = rows.map((row) => Object.fromEntries(info.primary_key.map((name) => [name, row[name] ?? null])));
    try {
      // Reads whole records, because the grid may show only some columns.
      const { data } = await ask<{ resource: Row[] }>(path, { method: "DELETE", params: { fields: "*" }, body: { resource: keys } });
      await written(client, dataset);
      const restored = data.resource.map((row) => Object.fromEntries(info.field.filter(({ create }) => create).map(({ name }) => [name, row[name] ?? null])));
      onDone();
      doneWithUndo(T.deletedMany(rows.length), async () => {
        await ask(path, { method: "POST", body: { resource: restored } });
        await written(client, dataset);
      });
    } catch (error) {
      setProblem(batchMessage(withRule(error, {})));
      setRejected(error);
      setBusy(false);
    }
  }

  return (
    <Dialog title={T.deleteMany(rows.length)} onClose={onClose}>
      <p>{T.deleteManyHint}</p>
      {problem && <RequestError message={problem} error={rejected} />}
      <div className="actions">
        <Button tone="danger" disabled={isBusy} onClick={() => void remove()}>{T.remove}</Button>
        <Button onClick={onClose}>{T.cancel}</Button>
      </div>
    </Dialog>
  );
}

/** The reason for a failed list: that of its first failed record. */
function batchMessage(error: unknown): string {
  const resource = (error as { context?: { resource?: { message?: string }[] } }).context?.resource;
  return resource?.find(({ message }) => message)?.message ?? (error as Error).message;
}
