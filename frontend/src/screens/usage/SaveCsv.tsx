/** Saves the report that is shown as CSV. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { saveFile } from "../../../shared/savefile";
import type { UsageSpan } from "../../api/scripts";
import type { ApiUsage, PlatformUsage } from "../../api/types";
import { apiUsage, platformUsage } from "../../api/usage";
import { t } from "../../lib/i18n.dashboard";
import type { Tab } from "./useUsageParams";

export function SaveCsv({ tab, month, span }: { tab: Tab; month: string; span: UsageSpan }) {
  const members = useQuery({ ...platformUsage(span), enabled: tab === "platform" });
  const keys = useQuery({ ...apiUsage(span), enabled: tab === "api" });
  const isReady = Boolean(tab === "platform" ? members.data : keys.data);
  const save = async () => {
    const { csvOf } = await import("../../../shared/csv");
    const text = tab === "platform" ? csvOf(MEMBERS, membersOf(members.data?.resource ?? [])) : csvOf(KEYS, keysOf(keys.data ?? []));
    saveFile(new Blob([text], { type: "text/csv" }), `usage-${tab}-${month}.csv`);
  };
  return (
    <Button variant="default" disabled={!isReady} leftSection={<Download size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => void save()}>
      {t("usage.csv")}
    </Button>
  );
}

const KINDS = [t("usage.personal"), t("usage.business"), t("usage.dials")];

const MEMBERS = [t("usage.member"), t("field.email"), t("usage.total"), ...KINDS, t("usage.people")];
const KEYS = [t("usage.key"), t("usage.purpose"), t("usage.calls"), ...KINDS];

function membersOf(rows: PlatformUsage[]): unknown[][] {
  return rows.map((row) => [row.name, row.email, row.totalrevealedcount, row.personalemailcount, row.busemailcount, row.directdialscount, row.peoplecount ?? 0]);
}

function keysOf(rows: ApiUsage[]): unknown[][] {
  return rows.map((row) => [row.apikey, row.purpose, row.callcount, row.personalemailcount, row.businessemailcount, row.directdialscount]);
}
