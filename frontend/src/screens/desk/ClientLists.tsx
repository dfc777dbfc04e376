/** The read-only lists of a client: ledger, payments, sessions, audit log, keys. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { addonList, planList } from "../../api/billing";
import type { Overview } from "../../api/desk";
import type { Plan } from "../../api/types";
import { Empty } from "../../components/Empty";
import classes from "../../components/ListTable.module.css";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { changeText } from "../../domain/ledger";
import { deviceOf } from "../../domain/device";
import { contactOf, eventText, joined, namedBy, targetText } from "../../domain/event";
import { planText } from "../../domain/plantexts";
import { type Kind, REVEAL_TYPE } from "../../domain/reveal";
import { dayText, momentText } from "../../lib/dates";
import { t as shared } from "../../lib/i18n";
import { t } from "../../lib/i18n.desk";
import { numberText } from "../../lib/locale";
import { dollarsAndCents } from "../../lib/money";
import { RowAction } from "./RowAction";

interface ListProps<Row> {
  label: string;
  rows: Row[];
  rowKey: (row: Row) => number;
  columns: Column<Row>[];
}

/** A list that shows its columns in pairs on a phone. */
function List<Row>({ label, rows, rowKey, columns }: ListProps<Row>) {
  if (rows.length === 0) return <Empty title={shared("noDataFound")} />;
  const phone = (row: Row) => (
    <div className={classes.phone}>
      {columns.map(({ key, cell }, index) => (index === 0 ? <strong key={key}>{cell(row)}</strong> : <span key={key}>{cell(row)}</span>))}
    </div>
  );
  return <DataTable label={label} columns={columns} rows={rows} rowKey={rowKey} phone={phone} />;
}

export function Ledger({ of }: { of: Overview }) {
  const columns = useMemo<Column<Overview["ledger"][number]>[]>(
    () => [
      { key: "time", head: t("ledger.time"), cell: ({ createdon }) => momentText(createdon) },
      { key: "reason", head: t("ledger.reason"), cell: ({ reason }) => eventText(reason) },
      { key: "kind", head: t("ledger.kind"), cell: ({ kind }) => t(`kinds.${kind}`) },
      { key: "change", head: t("ledger.change"), align: "end", cell: ({ delta }) => changeText(delta) },
      { key: "balance", head: t("ledger.balance"), align: "end", cell: ({ balance_after }) => numberText(balance_after) },
    ],
    [],
  );
  return <List label={t("client.ledger")} rows={of.ledger} rowKey={({ ledgerid }) => ledgerid} columns={columns} />;
}

export function Payments({ of }: { of: Overview }) {
  const columns = useMemo<Column<Overview["payments"][number]>[]>(
    () => [
      { key: "date", head: t("payment.date"), cell: ({ transactiondate }) => dayText(transactiondate) },
      { key: "invoice", head: t("payment.invoice"), cell: ({ invoicenumber }) => invoicenumber },
      { key: "plan", head: t("payment.plan"), cell: ({ planname }) => planname },
      { key: "status", head: t("payment.status"), cell: ({ status }) => eventText(status) },
      { key: "amount", head: t("payment.amount"), align: "end", cell: ({ price }) => dollarsAndCents(price) },
      { key: "resend", head: t("queue.actions"), align: "end", cell: (row) => <Receipt of={row} /> },
    ],
    [],
  );
  return <List label={t("client.payments")} rows={of.payments} rowKey={({ transactionid }) => transactionid} columns={columns} />;
}

function Receipt({ of }: { of: Overview["payments"][number] }) {
  if (of.status !== "paid" && of.status !== "refunded") return null;
  const { transactionid, invoicenumber: invoice } = of;
  return <RowAction name="mail" body={{ kind: "receipt", transactionid }} label={t("payment.resendOf", { invoice })} text={t("payment.resend")} done={t("user.mailed")} />;
}

export function Sessions({ of }: { of: Overview }) {
  const columns = useMemo<Column<Overview["sessions"][number]>[]>(
    () => [
      { key: "user", head: t("session.user"), cell: ({ name }) => name },
      { key: "device", head: t("session.device"), cell: ({ useragent }) => deviceOf(useragent) || t("none") },
      { key: "ip", head: t("session.ip"), cell: ({ ip }) => ip ?? t("none") },
      { key: "last", head: t("session.lastused"), cell: ({ lastused }) => momentText(lastused) },
    ],
    [],
  );
  return <List label={t("client.sessions")} rows={of.sessions} rowKey={({ usersessionid }) => usersessionid} columns={columns} />;
}

/** The names of a client's users and keys, or their numbers if deleted, and the names of plans. */
function namesOf({ users, keys }: Overview, plans: Plan[]) {
  const userOf = new Map(users.map(({ appuserid, name }) => [appuserid, name]));
  const keyOf = new Map(keys.map(({ keyid, name, purpose }) => [keyid, purpose || name]));
  return {
    user: (id: number) => userOf.get(id) || t("audit.user", { id: String(id) }),
    key: (id: number) => keyOf.get(id) || t("audit.key", { id: String(id) }),
    plan: (id: number) => planText(plans.find(({ planid }) => planid === id)?.name ?? String(id)),
  };
}

type Entry = Overview["audit"][number] & { kinds: Kind[] };

export function Audit({ of }: { of: Overview }) {
  const plans = useQuery(planList).data?.resource;
  const addons = useQuery(addonList).data?.resource;
  const entries = useMemo(() => joined(of.audit), [of]);
  const columns = useMemo<Column<Entry>[]>(() => {
    const names = namesOf(of, [...(plans ?? []), ...(addons ?? [])]);
    const byOf = ({ staffid, appuserid, keyid }: Entry): string => {
      if (staffid) return t("audit.support");
      if (keyid) return names.key(keyid);
      return appuserid ? names.user(appuserid) : t("audit.system");
    };
    const aboutOf = ({ event, target, detail, kinds }: Entry): string => {
      const named = namedBy(event, target);
      const contact = contactOf({ event, target });
      const about = contact ? t("audit.contact", { id: String(contact) }) : targetText(named ? names[named](Number(target)) : target, detail);
      return [about, kinds.map((kind) => t(`kinds.${REVEAL_TYPE[kind]}`)).join(", ")].filter(Boolean).join(" · ") || t("none");
    };
    return [
      { key: "event", head: t("audit.event"), cell: ({ event }) => eventText(event) },
      { key: "time", head: t("audit.time"), cell: ({ createdon }) => momentText(createdon) },
      { key: "target", head: t("audit.target"), cell: aboutOf },
      { key: "by", head: t("audit.by"), cell: byOf },
    ];
  }, [of, plans, addons]);
  return <List label={t("client.audit")} rows={entries} rowKey={({ auditid }) => auditid} columns={columns} />;
}

export function Keys({ of }: { of: Overview }) {
  const columns = useMemo<Column<Overview["keys"][number]>[]>(
    () => [
      { key: "purpose", head: t("key.name"), cell: ({ name, purpose }) => [name, purpose].filter(Boolean).join(", ") },
      { key: "state", head: t("key.state"), cell: ({ isactive, isdeleted }) => t(isdeleted ? "key.deleted" : isactive ? "key.active" : "key.off") },
      { key: "last", head: t("key.lastused"), cell: ({ lastused }) => momentText(lastused) || t("none") },
      { key: "created", head: t("key.created"), cell: ({ createdon }) => dayText(createdon) },
    ],
    [],
  );
  return <List label={t("client.keys")} rows={of.keys} rowKey={({ keyid }) => keyid} columns={columns} />;
}
