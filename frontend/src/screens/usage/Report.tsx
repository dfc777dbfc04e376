/** A report: pending, failed, empty, or totals, chart and table. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { problemOf } from "../../api/explain";
import { Fact } from "../../components/Fact";
import { ListState } from "../../components/ListState";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { t } from "../../lib/i18n.dashboard";
import { numberText } from "../../lib/locale";
import classes from "./Usage.module.css";

interface Props<Row> {
  list: UseQueryResult<unknown>;
  rows: Row[] | undefined;
  label: string;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => number;
  totals: readonly (readonly [label: string, of: (row: Row) => number])[];
  /** Distinct people of all rows: a figure shown before the totals of values. */
  people?: number | undefined;
  chart: (rows: Row[]) => ReactNode;
  phone: (row: Row) => ReactNode;
  empty?: ReactNode;
}

export function Report<Row>({ list, rows: found, label, columns, rowKey, totals, people, chart, phone, empty }: Props<Row>) {
  return (
    <ListState list={list} rows={found} explain={problemOf} skeleton={{ lines: 4, columns }} empty={empty}>
      {(rows) => (
        <div className={classes.report} aria-busy={list.isFetching} data-stale={list.isPlaceholderData || undefined}>
          <dl className={classes.totals}>
            {people !== undefined && <Fact term={t("usage.people")} value={numberText(people)} />}
            {totals.map(([name, of]) => (
              <Fact key={name} term={name} value={numberText(rows.reduce((sum, row) => sum + of(row), 0))} />
            ))}
          </dl>
          {chart(rows)}
          <DataTable label={label} columns={columns} rows={rows} rowKey={rowKey} phone={phone} />
        </div>
      )}
    </ListState>
  );
}
