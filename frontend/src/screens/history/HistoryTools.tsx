/** Controls above the audit log and the ledger: a filter by user, and the download. */
import { NativeSelect } from "@mantine/core";
import { Download } from "lucide-react";
import { useState } from "react";
import { saveFile } from "../../../shared/savefile";
import { toast } from "../../../shared/toasts";
import { explain } from "../../api/explain";
import { useUserNames } from "../../api/history";
import { t } from "../../lib/i18n.dashboard";
import { BusyButton } from "../../components/ui/BusyButton";

/** The user in the parameter `by` of the address; 0 for all. */
export const actorIn = (params: URLSearchParams): number => Number(/^\d{1,15}$/.exec(params.get("by") ?? "")?.[0] ?? 0);

/** Chooses a user of the account, or all of them (0). Hidden while the account has only one user. */
export function ActorFilter({ by, onChange }: { by: number; onChange: (by: number) => void }) {
  const members = [...(useUserNames() ?? [])];
  if (members.length <= 1) return null;
  return (
    <NativeSelect
      size="sm"
      aria-label={t("audit.actor")}
      data={[{ value: "0", label: t("audit.everybody") }, ...members.map(([appuserid, name]) => ({ value: String(appuserid), label: name }))]}
      value={String(by)}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    />
  );
}

/** Saves what `csv` returns as a file. */
export function SaveHistory({ csv, name }: { csv: () => Promise<string>; name: string }) {
  const [saving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      saveFile(new Blob([await csv()], { type: "text/csv" }), name);
    } catch (error) {
      toast(explain(error), "bad");
    } finally {
      setSaving(false);
    }
  };
  return (
    <BusyButton variant="default" busy={saving} leftSection={<Download size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => void save()}>
      {t("usage.csv")}
    </BusyButton>
  );
}
