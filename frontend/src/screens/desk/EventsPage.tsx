/** Payment events that were not applied. */
import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "react-router";
import { type PaymentEvent, paymentEvents } from "../../api/desk";
import { problemOf } from "../../api/explain";
import { Empty } from "../../components/Empty";
import { ListTable } from "../../components/ListTable";
import type { Column } from "../../components/ui/DataTable";
import { Page } from "../../components/ui/Page";
import { momentText } from "../../lib/dates";
import { t } from "../../lib/i18n.desk";
import { RowAction } from "./RowAction";

function Client({ of }: { of: PaymentEvent }) {
  if (of.clientid === null) return of.customer ?? t("none");
  return (
    <Anchor component={Link} to={`/desk/client/${of.clientid}`}>{t("find.unnamed", { id: String(of.clientid) })}</Anchor>
  );
}

export function EventsPage() {
  const list = useQuery(paymentEvents);
  const columns = useMemo<Column<PaymentEvent>[]>(
    () => [
      { key: "type", head: t("events.type"), cell: ({ type }) => type },
      { key: "date", head: t("events.date"), cell: ({ created }) => momentText(created) },
      { key: "client", head: t("events.client"), cell: (event) => <Client of={event} /> },
      { key: "note", head: t("events.note"), cell: ({ note }) => note ?? t("events.waiting") },
      { key: "id", head: t("events.event"), cell: ({ id }) => id },
      { key: "actions", head: t("events.actions"), align: "end", cell: (event) => <Apply event={event} /> },
    ],
    [],
  );
  return (
    <Page title={t("events.title")} lead={t("events.lead")}>
      <ListTable
        label={t("events.title")}
        list={list}
        explain={problemOf}
        empty={<Empty title={t("nothingWaiting")} card />}
        columns={columns}
        rowKey={({ id }) => id}
        phone={(event) => (
          <>
            <strong>{event.type}</strong>
            <Apply event={event} />
            <span>{momentText(event.created)}</span>
            <span>{event.note ?? t("events.waiting")}</span>
          </>
        )}
      />
    </Page>
  );
}

const Apply = ({ event: { id } }: { event: PaymentEvent }) => (
  <RowAction name="payments" body={{ id }} label={t("events.applyOf", { id })} text={t("events.apply")} done={t("events.done")} />
);
