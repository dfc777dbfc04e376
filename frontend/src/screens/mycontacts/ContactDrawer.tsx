/** The drawer of one contact: values with copy and votes, title and company, tags and note, history. */
import { ActionIcon, Anchor, Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, ContactRound, ExternalLink, Trash2 } from "lucide-react";
import { saveFile } from "../../../shared/savefile";
import { isOwner, useAccount } from "../../api/account";
import { oneContact, personOf } from "../../api/contacts";
import { team } from "../../api/team";
import type { Found, UserContact } from "../../api/types";
import { NameAvatar } from "../../components/NameAvatar";
import { Drawer } from "../../components/ui/Drawer";
import { Field } from "../../components/ui/Field";
import { useLast } from "../../components/useLast";
import { profileLink, valuesOf } from "../../domain/contacts";
import { aboutOf } from "../../domain/person";
import { vcard } from "../../domain/vcard";
import { localDayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { ContactNotes } from "./ContactNotes";
import { ContactValues } from "./ContactValues";
import classes from "./ContactDrawer.module.css";

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
  const contact = useLast(contactid > 0 ? (listed ?? fetched.data ?? null) : null);
  const person = useQuery({ ...personOf(contact?.linkedinurl ?? ""), enabled: contactid > 0 && contact !== null });
  const at = rows.findIndex((row) => row.contactid === contactid);
  const isMissing = contactid > 0 && !listed && fetched.isSuccess && fetched.data === null;
  const shown = isMissing ? null : contact;
  const about = person.data ? aboutOf(person.data) : [shown?.title, shown?.company].filter(Boolean).join(" · ");

  return (
    <Drawer
      opened={contactid > 0}
      onClose={() => onChange(0)}
      beside
      title={shown?.name ?? t("contacts.title")}
      subtitle={about || (person.isPending && shown && <Skeleton width={180} height={12} mt={6} />)}
      lead={shown && <NameAvatar name={shown.name} size={40} />}
      actions={
        <>
          <Step label={t("contacts.earlier")} to={rows[at - 1]} onChange={onChange} icon={ChevronUp} />
          <Step label={t("contacts.later")} to={at < 0 ? undefined : rows[at + 1]} onChange={onChange} icon={ChevronDown} />
        </>
      }
    >
      {isMissing && <p role="status">{t("contacts.notThere")}</p>}
      {shown && <Details key={shown.contactid} contact={shown} person={person.data ?? null} isMine={isMine(shown)} />}
      {listed && !listed.deleted && isMine(listed) && (
        <Button
          variant="subtle"
          color="red"
          size="sm"
          className={classes.remove}
          leftSection={<Trash2 size={16} strokeWidth={1.75} aria-hidden="true" />}
          onClick={() => onRemove(listed)}
        >
          {t("contacts.remove", { name: listed.name })}
        </Button>
      )}
    </Drawer>
  );
}

interface StepProps {
  label: string;
  to: UserContact | undefined;
  onChange: (contactid: number) => void;
  icon: typeof ChevronUp;
}

function Step({ label, to, onChange, icon: Icon }: StepProps) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={!to} onClick={() => to && onChange(to.contactid)}>
      <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
    </ActionIcon>
  );
}

function Details({ contact, person, isMine }: { contact: UserContact; person: Found | null; isMine: boolean }) {
  return (
    <>
      <section className={classes.section}>
        <ContactValues contact={contact} person={person} />
        <Field label={t("contacts.profile")}>
          <Anchor href={profileLink(contact.linkedinurl)} target="_blank" rel="noopener noreferrer" className={classes.profile}>
            {t("search.profile")} <ExternalLink size={12} aria-hidden="true" />
          </Anchor>
        </Field>
        <Button
          variant="default"
          size="sm"
          className={classes.remove}
          leftSection={<ContactRound size={16} strokeWidth={1.75} aria-hidden="true" />}
          onClick={() => {
            const { title, company } = person ?? contact;
            const card = vcard({ name: contact.name, ...(title && { title }), ...(company && { company }), url: profileLink(contact.linkedinurl), ...valuesOf(contact) });
            saveFile(new Blob([card], { type: "text/vcard" }), `${contact.name}.vcf`);
          }}
        >
          {t("search.vcard")}
        </Button>
      </section>
      {isMine && <ContactNotes contactid={contact.contactid} />}
      <History contact={contact} />
    </>
  );
}

/** The users that revealed the values, and the day on which the contact was added. */
function History({ contact }: { contact: UserContact }) {
  const me = useAccount();
  const members = useQuery({ ...team, enabled: isOwner(me) });
  const nameOf = (id: number) =>
    id === me.appuserid ? t("contacts.byYou") : (members.data?.resource.find(({ appuserid }) => appuserid === id)?.name ?? t("contacts.byColleague"));
  return (
    <section className={classes.section} aria-label={t("contacts.history")}>
      <h3>{t("contacts.history")}</h3>
      <Field label={t("contacts.revealedOn")}>{localDayText(contact.createdon)}</Field>
      {contact.revealedby !== null && <Field label={t("contacts.addedBy")}>{nameOf(contact.revealedby)}</Field>}
      {contact.dialrevealedby !== null && <Field label={t("contacts.dialBy")}>{nameOf(contact.dialrevealedby)}</Field>}
    </section>
  );
}
