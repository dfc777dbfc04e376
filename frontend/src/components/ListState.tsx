/** The states of a list in order: pending, failed, empty; else the children with its rows.

 `rows`      of the list; undefined until they are known
 `explain`   the message of an error, and the number of its request
 `skeleton`  a placeholder for the table
 `empty`     in place of "no data found"
 `card`      whether the list has its own card, as a table does
*/
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { t } from "../lib/i18n";
import { Empty } from "./Empty";
import { Problem } from "./Problem";
import { type Shape, TableSkeleton } from "./ui/TableSkeleton";

interface Props<Row> {
  list: Pick<UseQueryResult, "isPending" | "error" | "refetch">;
  rows: Row[] | undefined;
  explain: (error: unknown) => { text: string; requestId?: string | undefined };
  skeleton?: Shape;
  empty?: ReactNode;
  card?: boolean;
  children: (rows: Row[]) => ReactNode;
}

export function ListState<Row>({ list, rows, explain, skeleton, empty, card = true, children }: Props<Row>) {
  if (list.isPending) return <TableSkeleton label={t("loading")} {...skeleton} />;
  if (list.error || !rows) return <Problem {...explain(list.error)} retry={list.refetch} card={card} />;
  if (rows.length === 0) return empty ?? <Empty title={t("noDataFound")} card={card} />;
  return children(rows);
}
