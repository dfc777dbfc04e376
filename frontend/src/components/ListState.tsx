/** The states of a list in their order: pending, failed, empty; else what is drawn with its rows. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { t } from "../lib/i18n";
import { Empty } from "./Empty";
import { Problem } from "./Problem";
import { type Head, TableSkeleton } from "./ui/TableSkeleton";

interface Props<Row> {
  list: Pick<UseQueryResult<{ resource: Row[] }>, "data" | "isPending" | "error" | "refetch">;
  /** What an error says, and the number of its request. */
  explain: (error: unknown) => { text: string; requestId?: string | undefined };
  lines?: number;
  columns?: readonly Head[] | undefined;
  children: (rows: Row[]) => ReactNode;
}

export function ListState<Row>({ list, explain, lines = 6, columns, children }: Props<Row>) {
  if (list.isPending) return <TableSkeleton label={t("loading")} lines={lines} columns={columns} />;
  if (list.error || !list.data) return <Problem {...explain(list.error)} retry={list.refetch} card />;
  if (list.data.resource.length === 0) return <Empty title={t("noDataFound")} card />;
  return children(list.data.resource);
}
