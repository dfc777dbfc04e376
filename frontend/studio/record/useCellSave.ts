/** Writes one cell, only if it still holds the displayed value, and keeps the undo. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { ApiError, ask, recordPath } from "../api/client";
import { written } from "../api/queries";
import type { Field, Json, Row, TableInfo } from "../api/types";
import { idOf, shown } from "../lib/format";
import { doneWithUndo } from "../lib/undo";
import { T } from "../texts";
import { valuesOf } from "./draft";
import { withRule } from "./rule";

const STALE = 412;
const ATTEMPTS = 3;

interface Change {
  dataset: string;
  info: TableInfo;
  id: string;
  field: Field;
  from: Json;
  to: Json;
}

/** Changes one value of a record. Throws an Error if it was changed elsewhere in the meantime. */
async function replace(client: QueryClient, { dataset, info, id, field, from, to }: Change): Promise<Json> {
  const path = recordPath(dataset, info.name, id);
  for (let attempt = 1; ; attempt += 1) {
    const read = await ask<Row>(path);
    const now = read.data[field.name] ?? null;
    if (shown(now) !== shown(from)) {
      await written(client, dataset);
      throw new Error(T.cellConflict(field.name, shown(now) || T.null));
    }
    try {
      const headers: Record<string, string> = read.etag ? { "If-Match": read.etag } : {};
      const saved = await ask<Row>(path, { method: "PATCH", params: { fields: "*" }, body: { [field.name]: to }, headers });
      await written(client, dataset);
      return saved.data[field.name] ?? null;
    } catch (error) {
      // Another column of the record was changed between the two requests: the save does not conflict with it.
      if (!(error instanceof ApiError && error.status === STALE && attempt < ATTEMPTS)) throw withRule(error, { [field.name]: to });
    }
  }
}

export function useCellSave(dataset: string, info: TableInfo) {
  const client = useQueryClient();
  /** Saves the text of a cell. Throws an Error with a message to show at the cell. */
  return async (row: Row, field: Field, text: string | null): Promise<void> => {
    const id = idOf(info, row)!;
    const before = row[field.name] ?? null;
    const to = valuesOf([field], { [field.name]: text })[field.name] ?? null;
    if (shown(to) === shown(before) && (to === null) === (before === null)) return;
    const after = await replace(client, { dataset, info, id, field, from: before, to });
    doneWithUndo(T.cellSaved(field.name, shown(before).slice(0, 40), shown(after).slice(0, 40)), async () => {
      await replace(client, { dataset, info, id, field, from: after, to: before });
    });
  };
}
