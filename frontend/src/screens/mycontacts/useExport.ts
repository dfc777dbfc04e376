/** Exports contacts into mycontacts.xlsx. */
import { MOST_EXPORTED, explainExport, useExportContacts } from "../../api/exports";
import type { UserContact } from "../../api/types";
import { t } from "../../lib/i18n.dashboard";
import { toast } from "../../stores/toasts";

export function useExport() {
  const { mutate, isPending } = useExportContacts();
  const exportRows = (rows: UserContact[]) => {
    if (rows.length === 0) return toast(t("contacts.selectToExport"), "bad");
    if (rows.length > MOST_EXPORTED) return toast(t("contacts.exportMost", { count: MOST_EXPORTED }), "bad");
    mutate(
      rows.map(({ contactid }) => contactid),
      { onError: (error) => toast(explainExport(error), "bad") },
    );
  };
  return { exportRows, busy: isPending };
}
