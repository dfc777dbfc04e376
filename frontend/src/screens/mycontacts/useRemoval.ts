/** Removes contacts: marked at once, sent once the message with Undo is gone, restored if the server rejects it. */
import { useMemo } from "react";
import { toast, toastUndone, toastWithUndo } from "../../../shared/toasts";
import { useRemoveContact } from "../../api/contacts";
import { explain } from "../../api/explain";
import type { UserContact } from "../../api/types";
import { t } from "../../lib/i18n.dashboard";
import { contactRemoved, contactSettled, useRemoved } from "../../stores/removed";

export interface Removal {
  /** The same rows, with pending removals marked. */
  rows: UserContact[];
  /** Removed contacts that can still be restored. */
  removed: ReadonlyMap<number, number>;
  remove: (row: UserContact) => void;
  restore: (row: UserContact) => void;
}

export function useRemoval(stored: UserContact[]): Removal {
  const removed = useRemoved();
  const { mutateAsync } = useRemoveContact();
  const rows = useMemo(
    () => (removed.size === 0 ? stored : stored.map((row) => (removed.has(row.contactid) ? { ...row, deleted: 1 } : row))),
    [stored, removed],
  );
  const remove = ({ contactid, name }: UserContact) => {
    const back = () => contactSettled(contactid);
    const settled = () => mutateAsync(contactid).catch((error: unknown) => toast(explain(error), "bad")).finally(back);
    contactRemoved(contactid, toastWithUndo(t("contacts.removed", { name }), { undo: back, settled }));
  };
  const restore = ({ contactid }: UserContact) => toastUndone(removed.get(contactid) ?? 0);
  return { rows, removed, remove, restore };
}
