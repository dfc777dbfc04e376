/** What was done in the account, newest first. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Navigate, useSearchParams } from "react-router";
import { isOwner, useAccount } from "../../api/account";
import { problemOf } from "../../api/explain";
import { HISTORY_PAGE, auditLog } from "../../api/history";
import { team } from "../../api/team";
import type { AuditEvent } from "../../api/types";
import classes from "../../components/History.module.css";
import { ListState } from "../../components/ListState";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { Page } from "../../components/ui/Page";
import { Pager } from "../../components/ui/Pager";
import { eventText, targetText } from "../../domain/device";
import { t } from "../../lib/i18n.dashboard";
import { momentText } from "../../lib/dates";
import { pageNumber } from "../../lib/paging";

function columnsOf(nameOf: (event: AuditEvent) => string): Column<AuditEvent>[] {
  return [
    { key: "time", head: t("audit.time"), cell: ({ createdon }) => momentText(createdon) },
    { key: "event", head: t("audit.event"), cell: ({ event }) => eventText(event) },
    { key: "target", head: t("audit.target"), cell: ({ target, detail }) => targetText(target, detail) || "–" },
    { key: "actor", head: t("audit.actor"), cell: nameOf },
    { key: "ip", head: t("sessions.ip"), cell: ({ ip }) => ip ?? "–" },
  ];
}

export function AuditLogScreen() {
  if (!isOwner(useAccount())) return <Navigate to="/dashboard/settings/myaccount" replace />;
  return <Log />;
}

function Log() {
  const [params, setParams] = useSearchParams();
  const page = pageNumber(params.get("page"));
  const list = useQuery(auditLog(page));
  const members = useQuery(team).data?.resource;
  const [nameOf, columns] = useMemo(() => {
    const names = new Map(members?.map(({ appuserid, name }) => [appuserid, name]));
    const name = ({ event, appuserid, keyid }: AuditEvent) =>
      event.startsWith("support_") ? t("audit.support") : (keyid ? t("audit.key") : (appuserid && names.get(appuserid)) || t("audit.system"));
    return [name, columnsOf(name)];
  }, [members]);
  const count = list.data?.meta?.count ?? 0;
  const pager = count > HISTORY_PAGE && (
    <Pager page={page} size={HISTORY_PAGE} count={count} withSizes={false} onChange={(to) => setParams(to.page > 1 ? { page: String(to.page) } : {})} />
  );

  return (
    <Page title={t("settings.auditlog")} lead={t("audit.lead")}>
      <ListState list={list} explain={problemOf}>
        {(rows) => (
          <DataTable
            label={t("settings.auditlog")}
            columns={columns}
            rows={rows}
            rowKey={({ auditid }) => auditid}
            foot={pager}
            phone={(event) => (
              <div className={classes.phone}>
                <strong>{eventText(event.event)}</strong>
                <span>{momentText(event.createdon)}</span>
                <span>{targetText(event.target, event.detail)}</span>
                <span>{nameOf(event)}</span>
              </div>
            )}
          />
        )}
      </ListState>
    </Page>
  );
}

export { AuditLogScreen as Component };
