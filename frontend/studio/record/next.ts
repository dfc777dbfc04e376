/** The initial values of the next new record: empty, or copied from the duplicated record. */
import type { Row, TableInfo } from "../api/types";
import { type Draft, textOf } from "./draft";

let prepared: { table: string; draft: Draft } | null = null;

export const nextRecord = {
  begin(info: TableInfo, row: Row): void {
    const copied = info.field.filter(({ name, create, auto_increment, is_primary_key, has_default }) => create && !auto_increment && !(is_primary_key && has_default) && row[name] !== null);
    prepared = { table: info.name, draft: Object.fromEntries(copied.map((field) => [field.name, textOf(field, row[field.name])])) };
  },
  take(info: TableInfo): Draft {
    return prepared?.table === info.name ? prepared.draft : {};
  },
  clear(): void {
    prepared = null;
  },
};
