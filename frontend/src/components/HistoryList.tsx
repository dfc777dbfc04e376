/** A page of records, newest first: loading, failed, empty, or the table with its pager; two-line rows on a phone. */
import type { ComponentProps, ReactNode } from "react";
import classes from "./History.module.css";
import { ListState } from "./ListState";
import { type Column, DataTable } from "./ui/DataTable";
import { Pager } from "./ui/Pager";

interface Props<Row> {
  label: string;
  list: ComponentProps<typeof ListState<Row>>["list"] & { data: { resource: Row[]; meta?: { count?: number } } | undefined };
  explain: ComponentProps<typeof ListState<Row>>["explain"];
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => number;
  page: number;
  size: number;
  onPage: (page: number) => void;
  phone: (row: Row) => ReactNode;
  /** A heading above the first row of each group: its day. */
  group?: (row: Row) => string;
}

export function HistoryList<Row>({ label, list, explain, columns, rowKey, page, size, onPage, phone, group }: Props<Row>) {
  const count = list.data?.meta?.count ?? 0;
  const pager = count > size && (
    <Pager page={page} size={size} count={count} withSizes={false} onChange={(change) => onPage(change.page)} />
  );
  return (
    <ListState list={list} rows={list.data?.resource} explain={explain} skeleton={{ columns }}>
      {(rows) => (
        <DataTable
          label={label}
          columns={columns}
          rows={rows}
          rowKey={rowKey}
          group={group}
          foot={pager}
          phone={(row) => <div className={classes.phone}>{phone(row)}</div>}
        />
      )}
    </ListState>
  );
}
