/** What was done in the account, newest first. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { problemOf } from "../../api/explain";
import { HISTORY_PAGE, auditLog, useActorName, useTargetText } from "../../api/history";
import type { AuditEvent } from "../../api/types";
import { HistoryList } from "../../components/HistoryList";
import type { Column } from "../../components/ui/DataTable";
import { Page } from "../../components/ui/Page";
import { eventText } from "../../domain/event";
import { t } from "../../lib/i18n.dashboard";
import { momentText } from "../../lib/dates";
import { pageNumber } from "../../lib/paging";

type Words = (event: AuditEvent) => string;

function columnsOf(nameOf: Words, targetOf: Words): Column<AuditEvent>[] {
  return [
    { key: "time", head: t("audit.time"), cell: ({ createdon }) => momentText(createdon) },
    { key: "event", head: t("audit.event"), cell: ({ event }) => eventText(event) },
    { key: "target", head: t("audit.target"), wraps: true, cell: (event) => targetOf(event) || "–" },
    { key: "actor", head: t("audit.actor"), wraps: true, cell: nameOf },
    { key: "ip", head: t("sessions.ip"), cell: ({ ip }) => ip ?? "–" },
  ];
}

export function AuditLogScreen() {
  const [params, setParams] = useSearchParams();
  const page = pageNumber(params.get("page"));
  const list = useQuery(auditLog(page));
  const actorName = useActorName();
  const targetOf = useTargetText();
  const [nameOf, columns] = useMemo(() => {
    const name = ({ event, appuserid, keyid }: AuditEvent) =>
      event.startsWith("support_") ? t("audit.support") : actorName(appuserid, keyid);
    return [name, columnsOf(name, targetOf)];
  }, [actorName, targetOf]);
  return (
    <Page title={t("settings.auditlog")} lead={t("audit.lead")}>
      <HistoryList
        label={t("settings.auditlog")}
        list={list}
        explain={problemOf}
        columns={columns}
        rowKey={({ auditid }) => auditid}
        page={page}
        size={HISTORY_PAGE}
        onPage={(to) => setParams(to > 1 ? { page: String(to) } : {})}
        phone={(event) => (
          <>
            <strong>{eventText(event.event)}</strong>
            <span>{momentText(event.createdon)}</span>
            <span>{targetOf(event)}</span>
            <span>{nameOf(event)}</span>
          </>
        )}
      />
    </Page>
  );
}

export { AuditLogScreen as Component };
