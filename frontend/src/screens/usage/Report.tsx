/** The frame of a report: waiting, failed, empty, or totals, chart and table. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { problemOf } from "../../api/explain";
import { ListState } from "../../components/ListState";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { Stat } from "../../components/ui/Stat";
import { numberText } from "../../lib/locale";
import classes from "./Usage.module.css";

interface Props<Row> {
  list: UseQueryResult<Row[]>;
  label: string;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => number;
  totals: readonly (readonly [label: string, of: (row: Row) => number])[];
  chart: (rows: Row[]) => ReactNode;
  phone: (row: Row) => ReactNode;
  empty?: ReactNode;
}

export function Report<Row>({ list, label, columns, rowKey, totals, chart, phone, empty }: Props<Row>) {
  return (
    <ListState list={list} rows={list.data} explain={problemOf} skeleton={{ lines: 4, columns }} empty={empty}>
      {(rows) => (
        <div className={classes.report} aria-busy={list.isFetching} data-stale={list.isPlaceholderData || undefined}>
          <div className={classes.totals}>
            {totals.map(([name, of]) => (
              <Stat key={name} label={name} value={numberText(rows.reduce((sum, row) => sum + of(row), 0))} />
            ))}
          </div>
          {chart(rows)}
          <DataTable label={label} columns={columns} rows={rows} rowKey={rowKey} phone={phone} />
        </div>
      )}
    </ListState>
  );
}
