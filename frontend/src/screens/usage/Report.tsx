/** The frame of a report: waiting, failed, empty, or the table. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { Empty } from "../../components/Empty";
import { Problem } from "../../components/Problem";
import { CardTable } from "../../components/ui/CardTable";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { t } from "../../lib/i18n";
import classes from "./Usage.module.css";

interface Props<Row> {
  list: UseQueryResult<Row[]>;
  label: string;
  columns: readonly string[];
  renderRow: (row: Row) => ReactNode;
}

export function Report<Row>({ list, label, columns, renderRow }: Props<Row>) {
  if (list.isPending) return <TableSkeleton label={t("loading")} lines={4} />;
  if (list.isError) {
    const requestId = list.error instanceof ApiError ? list.error.requestId : undefined;
    return <Problem text={explain(list.error)} requestId={requestId} retry={list.refetch} />;
  }
  if (list.data.length === 0) return <Empty title={t("noDataFound")} />;
  return (
    <div className={classes.list} aria-busy={list.isFetching} data-stale={list.isPlaceholderData || undefined}>
      <CardTable minWidth={700} label={label} columns={columns} className={classes.table}>
        {list.data.map(renderRow)}
      </CardTable>
    </div>
  );
}
