/** Saves the report that is shown as CSV. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import type { UsageSpan } from "../../api/scripts";
import type { ApiUsage, PlatformUsage } from "../../api/types";
import { apiUsage, platformUsage } from "../../api/usage";
import { csvOf } from "../../lib/csv";
import { t } from "../../lib/i18n.dashboard";
import { saveFile } from "../../lib/savefile";
import type { Tab } from "./useUsageParams";

export function SaveCsv({ tab, month, span }: { tab: Tab; month: string; span: UsageSpan }) {
  const members = useQuery({ ...platformUsage(span), enabled: tab === "platform" });
  const keys = useQuery({ ...apiUsage(span), enabled: tab === "api" });
  const text = tab === "platform" ? members.data && membersCsv(members.data.resource) : keys.data && keysCsv(keys.data);
  const save = () => text && saveFile(new Blob([text], { type: "text/csv" }), `usage-${tab}-${month}.csv`);
  return (
    <Button variant="default" disabled={!text} leftSection={<Download size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={save}>
      {t("usage.csv")}
    </Button>
  );
}

const KINDS = [t("usage.personal"), t("usage.business"), t("usage.dials")];

function membersCsv(rows: PlatformUsage[]): string {
  const head = [t("usage.member"), t("field.email"), t("usage.total"), ...KINDS, t("usage.people")];
  return csvOf(head, rows.map((row) => [row.name, row.email, row.totalrevealedcount, row.personalemailcount, row.busemailcount, row.directdialscount, row.peoplecount ?? 0]));
}

function keysCsv(rows: ApiUsage[]): string {
  const head = [t("usage.key"), t("usage.purpose"), t("usage.calls"), ...KINDS];
  return csvOf(head, rows.map((row) => [row.apikey, row.purpose, row.callcount, row.personalemailcount, row.businessemailcount, row.directdialscount]));
}
