/** The drawer of a contact, with previous and next in the list. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { isOwner, useAccount } from "../../api/account";
import { oneContact } from "../../api/contacts";
import type { UserContact } from "../../api/types";
import { Drawer } from "../../components/ui/Drawer";
import { t } from "../../lib/i18n.dashboard";
import PersonDrawer from "../person/PersonDrawer";

interface Props {
  /** 0 closes it. */
  contactid: number;
  /** The rows of the list, for previous and next. */
  rows: UserContact[];
  isMine: (contact: UserContact) => boolean;
  onChange: (contactid: number) => void;
  onRemove: (contact: UserContact) => void;
}

export default function ContactDrawer({ contactid, rows, isMine, onChange, onRemove }: Props) {
  const listed = rows.find((row) => row.contactid === contactid);
  const me = useAccount();
  const fetched = useQuery({ ...oneContact(contactid, isOwner(me) ? me.clientid : undefined), enabled: contactid > 0 && !listed });
  const contact = contactid > 0 ? (listed ?? fetched.data ?? null) : null;
  const at = rows.findIndex((row) => row.contactid === contactid);
  const stepTo = (to: UserContact | undefined) => to && (() => onChange(to.contactid));
  const close = () => onChange(0);
  if (contactid > 0 && !listed && fetched.isSuccess && fetched.data === null) {
    return (
      <Drawer opened onClose={close} beside title={t("contacts.title")}>
        <p role="status">{t("contacts.notThere")}</p>
      </Drawer>
    );
  }
  return (
    <PersonDrawer
      person={contact}
      contact={contact && isMine(contact) ? contact : undefined}
      earlier={stepTo(rows[at - 1])}
      later={at < 0 ? undefined : stepTo(rows[at + 1])}
      onClose={close}
    >
      {listed && !listed.deleted && isMine(listed) && (
        <Button variant="subtle" color="red" size="sm" w="fit-content" leftSection={<Trash2 size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => onRemove(listed)}>
          {t("contacts.remove", { name: listed.name })}
        </Button>
      )}
    </PersonDrawer>
  );
}
