/** Exports contacts into mycontacts.xlsx: the ticked ones, or all results. The server writes and counts the file. */
import { toast } from "../../../shared/toasts";
import { MOST_EXPORTED, MOST_NAMED, explainExport, useExportContacts, useExportFound } from "../../api/exports";
import type { ContactFilter, ContactOrder } from "../../domain/contactfilter";
import { t } from "../../lib/i18n.dashboard";
import type { Selection } from "./useSelection";

const onError = (error: unknown) => toast(explainExport(error), "bad");

export function useExport() {
  const byId = useExportContacts();
  const found = useExportFound();
  const run = ({ all, rows }: Selection, filter: ContactFilter, order: ContactOrder, client: number | undefined) => {
    if (all) return found.mutate({ filter, order }, { onError });
    if (rows.length === 0) return toast(t("contacts.selectToExport"), "bad");
    const most = client ? MOST_NAMED : MOST_EXPORTED;
    if (rows.length > most) return toast(t("contacts.exportMost", { count: most }), "bad");
    byId.mutate({ ids: rows.map(({ contactid }) => contactid), client }, { onError });
  };
  return { run, busy: byId.isPending || found.isPending };
}
