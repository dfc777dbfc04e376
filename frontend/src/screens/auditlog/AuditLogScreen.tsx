/** The account's audit log, newest entries first. */
import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { problemOf } from "../../api/explain";
import { ABOUT, type About, type AuditFilter, HISTORY_PAGE, auditFile, auditLog, useActorName, useTargetText } from "../../api/history";
import type { AuditEvent } from "../../api/types";
import { ListTable } from "../../components/ListTable";
import { ActorFilter, SaveHistory, actorIn } from "../history/HistoryTools";
import type { Column } from "../../components/ui/DataTable";
import { FilterChip } from "../../components/ui/FilterChip";
import { Page } from "../../components/ui/Page";
import { Toolbar } from "../../components/ui/Toolbar";
import { eventText, joined } from "../../domain/event";
import type { Kind } from "../../domain/reveal";
import { t } from "../../lib/i18n.dashboard";
import { localDayText, timeText } from "../../lib/dates";
import { pageNumber } from "../../lib/paging";

type Line = AuditEvent & { kinds: Kind[] };
type Words = (event: AuditEvent) => string;
const kindsOf = ({ kinds }: Line) => kinds.map((kind) => t(`kind.${kind}`)).join(", ");
const NONE: AuditEvent[] = [];
const ABOUTS = Object.keys(ABOUT) as About[];
const aboutIn = (text: string | null): About | "" => ABOUTS.find((about) => about === text) ?? "";

function columnsOf(nameOf: Words, targetOf: Words): Column<Line>[] {
  return [
    { key: "time", head: t("audit.time"), cell: ({ createdon }) => timeText(createdon) },
    { key: "event", head: t("audit.event"), cell: ({ event }) => eventText(event) },
    { key: "target", head: t("audit.target"), wraps: true, cell: (event) => [targetOf(event), kindsOf(event)].filter(Boolean).join(" · ") || "–" },
    { key: "actor", head: t("audit.actor"), wraps: true, cell: nameOf },
    { key: "ip", head: t("sessions.ip"), cell: ({ ip }) => ip ?? "–" },
  ];
}

export function AuditLogScreen() {
  const [params, setParams] = useSearchParams();
  const page = pageNumber(params.get("page"));
  const filter = { reads: params.get("reads") === "1", by: actorIn(params), about: aboutIn(params.get("about")) };
  const list = useQuery(auditLog(page, filter));
  const show = (next: AuditFilter & { page?: number }) =>
    setParams({ ...(next.reads && { reads: "1" }), ...(next.by > 0 && { by: String(next.by) }), ...(next.about && { about: next.about }), ...((next.page ?? 1) > 1 && { page: String(next.page) }) }, { preventScrollReset: true });
  const events = list.data?.resource ?? NONE;
  const actorName = useActorName(events.some(({ keyid }) => keyid !== null));
  const targetOf = useTargetText(events);
  const [nameOf, columns] = useMemo(() => {
    const name = ({ event, appuserid, keyid }: AuditEvent) =>
      event.startsWith("support_") ? t("audit.support") : actorName(appuserid, keyid);
    return [name, columnsOf(name, targetOf)];
  }, [actorName, targetOf]);
  const entries = useMemo(() => joined(events), [events]);
  const csv = async () => {
    const { resource } = await auditFile(filter);
    const head = [t("audit.time"), t("audit.event"), t("audit.target"), t("audit.actor"), t("sessions.ip")];
    const lines = resource.map((event) => [event.createdon, eventText(event.event), targetOf(event), nameOf(event), event.ip ?? ""]);
    const { csvOf } = await import("../../../shared/csv");
    return csvOf(head, lines);
  };
  return (
    <Page
      title={t("settings.auditlog")}
      lead={t("audit.lead")}
      actions={<SaveHistory csv={csv} name="auditlog.csv" />}
    >
      <Toolbar label={t("audit.filters")}>
        <FilterChip pressed={filter.reads} onChange={(reads) => show({ ...filter, reads })}>
          {t("audit.showReads")}
        </FilterChip>
        <NativeSelect
          size="sm"
          aria-label={t("audit.about")}
          data={[{ value: "", label: t("audit.everything") }, ...ABOUTS.map((about) => ({ value: about, label: t(about === "support" ? "audit.supported" : `audit.${about}`) }))]}
          value={filter.about}
          onChange={(event) => show({ ...filter, about: aboutIn(event.currentTarget.value) })}
        />
        <ActorFilter by={filter.by} onChange={(by) => show({ ...filter, by })} />
      </Toolbar>
      <ListTable
        label={t("settings.auditlog")}
        list={{ ...list, data: list.data && { ...list.data, resource: entries } }}
        explain={problemOf}
        columns={columns}
        rowKey={({ auditid }) => auditid}
        group={({ createdon }) => localDayText(createdon)}
        pages={{ page, size: HISTORY_PAGE, onPage: (to) => show({ ...filter, page: to }) }}
        phone={(event) => (
          <>
            <strong>{eventText(event.event)}</strong>
            <span>{timeText(event.createdon)}</span>
            <span>{[targetOf(event), kindsOf(event)].filter(Boolean).join(" · ")}</span>
            <span>{nameOf(event)}</span>
          </>
        )}
      />
    </Page>
  );
}

export { AuditLogScreen as Component };
