/** Writes a record with the version that was read, so that no other change is lost, and records the undo. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "../../shared/toasts";
import { ApiError, ask, recordPath, tablePath } from "../api/client";
import { written } from "../api/queries";
import type { Page, Row, TableInfo } from "../api/types";
import { nameOf } from "../filter/tree";
import { change } from "../lib/address";
import { idOf } from "../lib/format";
import { doneWithUndo } from "../lib/undo";
import { T } from "../texts";
import { BadValue, type Draft, valuesOf } from "./draft";
import { nextRecord } from "./next";
import { placeOf } from "./place";
import { withRule } from "./rule";

export interface VersionConflict {
  mine: Row;
  theirs: Row;
  etag: string | null;
}

interface Options {
  dataset: string;
  info: TableInfo;
  id: string;
  row: Row;
  etag: string | null;
  onSaved: () => void;
}

const STALE = 412;

export function useSave({ dataset, info, id, row, etag, onSaved }: Options) {
  const client = useQueryClient();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [rejected, setRejected] = useState<unknown>(null);
  const [conflict, setConflict] = useState<VersionConflict | null>(null);
  const [isBusy, setBusy] = useState(false);
  const path = recordPath(dataset, info.name, id);

  async function create(values: Row): Promise<void> {
    const fields = info.primary_key.map(nameOf).join(",") || undefined;
    const { data } = await ask<Page>(tablePath(dataset, info.name), { method: "POST", params: { fields }, body: { resource: [values] } });
    const created = data.resource[0] ? idOf(info, data.resource[0]) : null;
    nextRecord.clear();
    await written(client, dataset);
    change({ open: created ? placeOf(info.name, created) : null }, { replace: true });
    if (!created || !info.access.includes("DELETE")) return toast(T.created);
    doneWithUndo(T.created, async () => {
      await ask(recordPath(dataset, info.name, created), { method: "DELETE" });
      change({ open: null }, { replace: true });
      await written(client, dataset);
    });
  }

  async function update(values: Row, version: string | null): Promise<void> {
    const saved = await ask<Row>(path, { method: "PATCH", body: values, headers: version ? { "If-Match": version } : {} });
    const before = Object.fromEntries(Object.keys(values).map((name) => [name, row[name] ?? null]));
    onSaved();
    setConflict(null);
    await written(client, dataset);
    // The undo carries the version that this write made: a later change is not undone with it.
    const match: Record<string, string> = saved.etag ? { "If-Match": saved.etag } : {};
    doneWithUndo(T.saved, async () => {
      await ask(path, { method: "PATCH", body: before, headers: match });
      await written(client, dataset);
    });
  }

  async function run(work: () => Promise<void>, mine: Row): Promise<void> {
    setBusy(true);
    setErrors({});
    setProblem(null);
    try {
      await work();
    } catch (error) {
      if (error instanceof ApiError && error.status === STALE) await showConflict(mine);
      else reject(withRule(error, mine));
    } finally {
      setBusy(false);
    }
  }

  async function showConflict(mine: Row): Promise<void> {
    try {
      const now = await ask<Row>(path);
      setConflict({ mine, theirs: now.data, etag: now.etag });
    } catch (error) {
      reject(error);
    }
  }

  function reject(error: unknown): void {
    setRejected(error);
    if (error instanceof BadValue) setErrors({ [error.field]: error.message });
    else if (error instanceof ApiError) {
      const { field, fields, resource } = error.context;
      const said = resource?.find((entry) => entry.message)?.message ?? error.message;
      // An error about a list names the field in its text.
      const named = field ?? info.field.find(({ name }) => said.includes(`'${name}'`))?.name;
      setErrors(fields ?? (named ? { [named]: said } : {}));
      setProblem(said);
    } else setProblem((error as Error).message);
  }

  async function save(draft: Draft): Promise<void> {
    let values: Row;
    try {
      values = valuesOf(info.field, draft);
    } catch (error) {
      reject(error);
      return;
    }
    await run(() => (id === "" ? create(values) : update(values, etag)), values);
  }

  return {
    errors,
    problem,
    rejected,
    conflict,
    isBusy,
    save,
    dropConflict: () => {
      setConflict(null);
      void written(client, dataset);
    },
    keep: (values: Row) => run(() => update(values, conflict?.etag ?? null), values),
  };
}
