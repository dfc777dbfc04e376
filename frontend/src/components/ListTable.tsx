/** A list as a table: loading, failed, empty, or its rows with a pager; rows of two lines on a phone. */
import type { ComponentProps, ReactNode } from "react";
import classes from "./ListTable.module.css";
import { ListState } from "./ListState";
import { type Column, DataTable } from "./ui/DataTable";
import { Pager } from "./ui/Pager";

type State<Row> = ComponentProps<typeof ListState<Row>>;

interface Props<Row> extends Pick<State<Row>, "explain" | "empty"> {
  label: string;
  list: State<Row>["list"] & { data: { resource: Row[]; meta?: { count?: number } } | undefined };
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string | number;
  /** Rows of the placeholder. */
  lines?: number;
  /** For a list in pages, newest first. */
  pages?: { page: number; size: number; onPage: (page: number) => void };
  phone: (row: Row) => ReactNode;
  /** A heading above the first row of each group: its day. */
  group?: (row: Row) => string;
}

export function ListTable<Row>({ label, list, explain, empty, columns, rowKey, lines, pages, phone, group }: Props<Row>) {
  const count = list.data?.meta?.count ?? 0;
  const pager = pages && count > pages.size && (
    <Pager page={pages.page} size={pages.size} count={count} withSizes={false} onChange={({ page }) => pages.onPage(page)} />
  );
  return (
    <ListState list={list} rows={list.data?.resource} explain={explain} skeleton={{ lines, columns }} empty={empty}>
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
