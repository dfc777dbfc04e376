/** The frame of a report: waiting, failed, empty, or totals, chart and table. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { Empty } from "../../components/Empty";
import { Problem } from "../../components/Problem";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { Stat } from "../../components/ui/Stat";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { t } from "../../lib/i18n";
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
  if (list.isPending) return <TableSkeleton label={t("loading")} lines={4} columns={columns} />;
  if (list.isError) {
    const requestId = list.error instanceof ApiError ? list.error.requestId : undefined;
    return <Problem text={explain(list.error)} requestId={requestId} retry={list.refetch} card />;
  }
  const rows = list.data;
  if (rows.length === 0) return empty ?? <Empty title={t("noDataFound")} card />;
  return (
    <div className={classes.report} aria-busy={list.isFetching} data-stale={list.isPlaceholderData || undefined}>
      <div className={classes.totals}>
        {totals.map(([name, of]) => (
          <Stat key={name} label={name} value={numberText(rows.reduce((sum, row) => sum + of(row), 0))} />
        ))}
      </div>
      {chart(rows)}
      <DataTable label={label} columns={columns} rows={rows} rowKey={rowKey} phone={phone} />
    </div>
  );
}
