/** Every change of the credit balances, newest first; one kind or all. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { problemOf } from "../../api/explain";
import { HISTORY_PAGE, creditLedger, useActorName } from "../../api/history";
import type { LedgerRow } from "../../api/types";
import classes from "../../components/History.module.css";
import { HistoryList } from "../../components/HistoryList";
import type { Column } from "../../components/ui/DataTable";
import { Page } from "../../components/ui/Page";
import { Segment } from "../../components/ui/Segment";
import { eventText } from "../../domain/event";
import { CREDIT_OF, KINDS } from "../../domain/reveal";
import { t } from "../../lib/i18n.dashboard";
import { momentText } from "../../lib/dates";
import { pageNumber } from "../../lib/paging";
import { numberText } from "../../lib/locale";

const OPTIONS = [{ value: "", label: t("ledger.all") }, ...KINDS.map((kind) => ({ value: CREDIT_OF[kind], label: t(`kind.${kind}`) }))];
const kindText = ({ kind }: LedgerRow): string => OPTIONS.find(({ value }) => value === kind)?.label ?? kind;
const change = (delta: number): string => `${delta > 0 ? "+" : "−"}${numberText(Math.abs(delta))}`;

function Change({ delta }: LedgerRow) {
  return <span className={delta > 0 ? classes.plus : undefined}>{change(delta)}</span>;
}

function columnsOf(nameOf: (row: LedgerRow) => string): Column<LedgerRow>[] {
  return [
    { key: "time", head: t("audit.time"), cell: ({ createdon }) => momentText(createdon) },
    { key: "kind", head: t("ledger.kind"), cell: kindText },
    { key: "reason", head: t("ledger.reason"), cell: ({ reason }) => eventText(reason) },
    { key: "actor", head: t("audit.actor"), wraps: true, cell: nameOf },
    { key: "delta", head: t("ledger.change"), align: "end", cell: (row) => <Change {...row} /> },
    { key: "balance", head: t("ledger.balance"), align: "end", cell: ({ balance_after }) => numberText(balance_after) },
  ];
}

export function CreditLedgerScreen() {
  const [params, setParams] = useSearchParams();
  const page = pageNumber(params.get("page"));
  const kind = OPTIONS.find(({ value }) => value === params.get("kind"))?.value ?? "";
  const list = useQuery(creditLedger(page, kind));
  const nameOf = useActorName();
  const columns = useMemo(() => columnsOf(({ actor, keyid }) => nameOf(actor, keyid)), [nameOf]);
  const show = (next: { kind: string; page: number }) =>
    setParams({ ...(next.kind && { kind: next.kind }), ...(next.page > 1 && { page: String(next.page) }) }, { preventScrollReset: true });

  return (
    <Page
      title={t("settings.creditledger")}
      lead={t("ledger.lead")}
      actions={<Segment label={t("ledger.kind")} options={OPTIONS} value={kind} onChange={(to) => show({ kind: to, page: 1 })} />}
    >
      <HistoryList
        label={t("settings.creditledger")}
        list={list}
        explain={problemOf}
        columns={columns}
        rowKey={({ ledgerid }) => ledgerid}
        page={page}
        size={HISTORY_PAGE}
        onPage={(to) => show({ kind, page: to })}
        phone={(row) => (
          <>
            <strong>{eventText(row.reason)}</strong>
            <Change {...row} />
            <span>
              {kindText(row)}, {momentText(row.createdon)}
            </span>
            <span>{numberText(row.balance_after)}</span>
          </>
        )}
      />
    </Page>
  );
}

export { CreditLedgerScreen as Component };
