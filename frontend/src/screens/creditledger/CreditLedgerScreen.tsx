/** Every change of the credit balances, newest first: the kinds of one reveal in one row; filtered by kind and user. */
import { Box, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { problemOf } from "../../api/explain";
import { HISTORY_PAGE, type LedgerFilter, creditLedger, ledgerFile, useActorName, useContactNames } from "../../api/history";
import type { LedgerRow } from "../../api/types";
import classes from "../../components/ListTable.module.css";
import { ListTable } from "../../components/ListTable";
import { ActorFilter, SaveHistory, actorIn } from "../history/HistoryTools";
import type { Column } from "../../components/ui/DataTable";
import { Page } from "../../components/ui/Page";
import { KIND_ICONS } from "../../components/kindIcons";
import { Toolbar } from "../../components/ui/Toolbar";
import { eventText } from "../../domain/event";
import { type LedgerLine, changeText, linesOf } from "../../domain/ledger";
import { CREDIT_OF, KINDS, type Kind } from "../../domain/reveal";
import { localDayText, timeText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { numberText } from "../../lib/locale";
import { pageNumber } from "../../lib/paging";
import BurnDown from "./BurnDown";

type Line = LedgerLine<LedgerRow>;
const NONE: LedgerRow[] = [];
const OPTIONS = [{ value: "", label: t("ledger.all") }, ...KINDS.map((kind) => ({ value: CREDIT_OF[kind], label: t(`kind.${kind}`) }))];
const kindText = ({ kind }: LedgerRow): string => OPTIONS.find(({ value }) => value === kind)?.label ?? kind;
const place = ({ kind }: LedgerRow): number => OPTIONS.findIndex(({ value }) => value === kind);
const kindOf = (credit: string): Kind | undefined => KINDS.find((kind) => CREDIT_OF[kind] === credit);

/** The balance of each kind, which is named by its icon. */
function Balance({ rows }: Line) {
  return (
    <span className={classes.balances}>
      {rows.map((row) => {
        const Icon = KIND_ICONS[kindOf(row.kind) ?? "phone"];
        return (
          <span key={row.kind} title={kindText(row)}>
            <Icon size={14} strokeWidth={1.75} role="img" aria-label={kindText(row)} />
            {numberText(row.balance_after)}
          </span>
        );
      })}
    </span>
  );
}

function Change({ delta }: Line) {
  return <Box component="span" c={delta > 0 ? "var(--accent)" : undefined}>{changeText(delta)}</Box>;
}

interface Names {
  actor: (row: LedgerRow) => string;
  person: (row: LedgerRow) => string;
}

function columnsOf({ actor, person }: Names): Column<Line>[] {
  return [
    { key: "time", head: t("audit.time"), cell: ({ first }) => timeText(first.createdon) },
    { key: "reason", head: t("ledger.reason"), cell: ({ first }) => eventText(first.reason) },
    { key: "person", head: t("ledger.person"), wraps: true, cell: ({ first }) => person(first) || "–" },
    { key: "kind", head: t("ledger.kind"), cell: ({ rows }) => rows.map(kindText).join(", ") },
    { key: "actor", head: t("audit.actor"), wraps: true, cell: ({ first }) => actor(first) },
    { key: "delta", head: t("ledger.change"), align: "end", cell: (line) => <Change {...line} /> },
    { key: "balance", head: t("ledger.balance"), align: "end", cell: (line) => <Balance {...line} /> },
  ];
}

export function CreditLedgerScreen() {
  const [params, setParams] = useSearchParams();
  const page = pageNumber(params.get("page"));
  const filter: LedgerFilter = {
    kind: OPTIONS.find(({ value }) => value === params.get("kind"))?.value ?? "",
    by: actorIn(params),
  };
  const list = useQuery(creditLedger(page, filter));
  const rows = list.data?.resource ?? NONE;
  const nameOf = useActorName(rows.some(({ keyid }) => keyid !== null));
  const people = useContactNames(rows.flatMap(({ contactid }) => contactid ?? []));
  const names = useMemo<Names>(
    () => ({ actor: ({ actor, keyid }) => nameOf(actor, keyid), person: ({ contactid }) => (contactid && people.get(contactid)) || "" }),
    [nameOf, people],
  );
  const columns = useMemo(() => columnsOf(names), [names]);
  const lines = useMemo(() => linesOf(rows).map((line) => ({ ...line, rows: line.rows.toSorted((a, b) => place(a) - place(b)) })), [rows]);
  const show = (next: LedgerFilter & { page?: number }) =>
    setParams({ ...(next.kind && { kind: next.kind }), ...(next.by > 0 && { by: String(next.by) }), ...((next.page ?? 1) > 1 && { page: String(next.page) }) }, { preventScrollReset: true });
  const csv = async () => {
    const { resource } = await ledgerFile(filter);
    const head = [t("audit.time"), t("ledger.reason"), t("ledger.kind"), t("audit.actor"), t("ledger.change"), t("ledger.balance")];
    const cells = resource.map((row) => [row.createdon, eventText(row.reason), kindText(row), names.actor(row), row.delta, row.balance_after]);
    const { csvOf } = await import("../../../shared/csv");
    return csvOf(head, cells);
  };

  return (
    <Page
      title={t("settings.creditledger")}
      lead={t("ledger.lead")}
      actions={<SaveHistory csv={csv} name="creditledger.csv" />}
    >
      <BurnDown kind={kindOf(filter.kind) ?? "phone"} onKind={(kind) => show({ ...filter, kind: CREDIT_OF[kind] })} />
      <Toolbar label={t("audit.filters")}>
        <NativeSelect size="sm" aria-label={t("ledger.kind")} data={OPTIONS} value={filter.kind} onChange={(event) => show({ ...filter, kind: event.currentTarget.value })} />
        <ActorFilter by={filter.by} onChange={(by) => show({ ...filter, by })} />
      </Toolbar>
      <ListTable
        label={t("settings.creditledger")}
        list={{ ...list, data: list.data && { ...list.data, resource: lines } }}
        explain={problemOf}
        columns={columns}
        rowKey={({ first }) => first.ledgerid}
        group={({ first }) => localDayText(first.createdon)}
        pages={{ page, size: HISTORY_PAGE, onPage: (to) => show({ ...filter, page: to }) }}
        phone={(line) => (
          <>
            <strong>{names.person(line.first) || eventText(line.first.reason)}</strong>
            <Change {...line} />
            <span>{line.rows.map(kindText).join(", ")}</span>
            <Balance {...line} />
            <span>
              {[timeText(line.first.createdon), names.actor(line.first)].join(", ")}
            </span>
          </>
        )}
      />
    </Page>
  );
}

export { CreditLedgerScreen as Component };
