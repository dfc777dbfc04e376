/** The drawer of one person, the same for every list: the card with its reveals, lists, tags and note, history. */
import { ActionIcon, Anchor, Button, Group, Skeleton, Stack } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, ContactRound, ExternalLink, ListPlus } from "lucide-react";
import { type ReactNode, Suspense, lazy, useState } from "react";
import { Link } from "react-router";
import { saveFile } from "../../../shared/savefile";
import { isExpired, isOwner, useAccount } from "../../api/account";
import { oneContact, personOf } from "../../api/contacts";
import { explain } from "../../api/explain";
import { contactLists, listsOf } from "../../api/people";
import { usePersonVotes } from "../../api/personvotes";
import { team } from "../../api/team";
import type { Found, UserContact } from "../../api/types";
import { About } from "./CompanyLink";
import { NameAvatar } from "../../components/NameAvatar";
import { Problem } from "../../components/Problem";
import { Drawer } from "../../components/ui/Drawer";
import { Field } from "../../components/ui/Field";
import { useLast } from "../../components/useLast";
import { profileLink } from "../../domain/contacts";
import { KINDS, type Kind, fieldOf, withContact } from "../../domain/reveal";
import { vcard } from "../../domain/vcard";
import { localDayText } from "../../lib/dates";
import { t } from "../../lib/i18n.people";
import { ContactNotes } from "./ContactNotes";
import { KindField } from "./KindField";
import classes from "./PersonDrawer.module.css";
import { useReveals } from "./useReveals";

const FlagDialog = lazy(() => import("../../components/FlagDialog"));
const ListDialog = lazy(() => import("./ListDialog"));

export interface Person {
  linkedinurl: string;
  name: string;
  title?: string | undefined;
  company?: string | undefined;
  /** Of the contact with the person's values; 0 if there is none. */
  contactid: number;
}

interface Props {
  /** null closes it. */
  person: Person | null;
  /** The contact, if the list has it. */
  contact?: UserContact | undefined;
  earlier: (() => void) | undefined;
  later: (() => void) | undefined;
  onClose: () => void;
  /** What else can be done with the person in this list. */
  children?: ReactNode;
}

export default function PersonDrawer({ person, contact, earlier, later, onClose, children }: Props) {
  const shown = useLast(person);
  const found = useQuery({ ...personOf(shown?.linkedinurl ?? ""), enabled: person !== null });
  const about = found.data ?? shown;
  return (
    <Drawer
      opened={person !== null}
      onClose={onClose}
      beside
      title={shown?.name ?? t("contacts.title")}
      subtitle={about?.title || about?.company ? <About {...about} /> : found.isPending && shown && <Skeleton width={180} height={12} mt={6} />}
      lead={shown && <NameAvatar name={shown.name} size={40} />}
      actions={
        <>
          <Step label={t("contacts.earlier")} onStep={earlier} icon={ChevronUp} />
          <Step label={t("contacts.later")} onStep={later} icon={ChevronDown} />
        </>
      }
    >
      {shown && <Details key={shown.linkedinurl} person={shown} known={contact} found={found.data ?? null} pending={found.isPending} />}
      {found.isError && <Problem text={explain(found.error)} retry={found.refetch} />}
      {children}
    </Drawer>
  );
}

function Step({ label, onStep, icon: Icon }: { label: string; onStep: (() => void) | undefined; icon: typeof ChevronUp }) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={!onStep} onClick={onStep}>
      <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
    </ActionIcon>
  );
}

interface DetailsProps {
  person: Person;
  known: UserContact | undefined;
  found: Found | null;
  pending: boolean;
}

/** A card without values, until the person's own is known. */
const NOTHING = { emails: [], phone_numbers: [], phone_encrypted: false, business_email_encrypted: false, personal_email_encrypted: false, bus_email_validation: null };

function Details({ person, known, found, pending }: DetailsProps) {
  const { linkedinurl: url } = person;
  const me = useAccount();
  const queries = useQueryClient();
  // Notes belong to the user's own list; the owner also reads contacts of the account.
  const own = useQuery({ ...oneContact(person.contactid), enabled: person.contactid > 0 && !known }).data;
  const others = useQuery({ ...oneContact(person.contactid, isOwner(me) ? me.clientid : undefined), enabled: own === null && isOwner(me) }).data;
  const contact = known ?? own ?? others ?? null;
  const card = contact ? withContact(found ?? (NOTHING as unknown as Found), contact) : found;
  const reveals = useReveals(url, (update) => queries.setQueryData(personOf(url).queryKey, (old) => old && update(old)));
  const kinds = card ? KINDS.filter((kind) => !pending || fieldOf(card, kind).values.length > 0) : [];
  const paid = kinds.some((kind) => valuesIn(card!, kind).length > 0);
  const voting = usePersonVotes(url, paid);
  return (
    <>
      <div className={classes.kinds}>
        {kinds.map((kind) => (
          <KindField
            key={kind}
            kind={kind}
            found={card!}
            canReveal={!isExpired(me)}
            reveals={reveals}
            voteOf={(value) => voting.voteOf({ kind, value })}
            onUpvote={(value) => voting.upvote({ kind, value })}
            onFlag={(value) => voting.flag({ kind, value })}
          />
        ))}
        {pending && Array.from({ length: KINDS.length - kinds.length }, (_, at) => <Skeleton key={at} height={20} my={12} />)}
      </div>
      <Group gap="sm">
        <Anchor href={profileLink(url)} target="_blank" rel="noopener noreferrer" className={classes.profile}>
          {t("search.profile")} <ExternalLink size={12} aria-hidden="true" />
        </Anchor>
        {paid && (
          <Button variant="default" size="sm" leftSection={<ContactRound size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => saveCard(person, card!)}>
            {t("search.vcard")}
          </Button>
        )}
      </Group>
      <Lists url={url} />
      {contact && (known || own) && <ContactNotes contactid={contact.contactid} />}
      {contact && <History contact={contact} />}
      <Suspense>{voting.dialog.values && <FlagDialog {...voting.dialog} />}</Suspense>
    </>
  );
}

/** Values that are shown in clear. */
function valuesIn(card: Parameters<typeof fieldOf>[0], kind: Kind): string[] {
  const { values, hidden } = fieldOf(card, kind);
  return hidden ? [] : values.map(({ text }) => text);
}

function saveCard({ name, title, company, linkedinurl }: Person, card: Found): void {
  const text = vcard({
    name,
    title: card.title ?? title ?? "",
    company: card.company ?? company ?? "",
    url: profileLink(linkedinurl),
    phones: valuesIn(card, "phone"),
    business: valuesIn(card, "business"),
    personal: valuesIn(card, "personal"),
  });
  saveFile(new Blob([text], { type: "text/vcard" }), `${name}.vcf`);
}

/** The lists that the person is on, and a button that adds another one. */
function Lists({ url }: { url: string }) {
  const [adding, setAdding] = useState(false);
  const items = useQuery(listsOf(url)).data?.resource ?? [];
  const lists = useQuery(contactLists).data?.resource ?? [];
  const on = lists.filter(({ listid }) => items.some((item) => item.listid === listid));
  return (
    <Stack component="section" gap="var(--s-1)" className={classes.section} aria-label={t("people.lists")}>
      <h3>{t("people.lists")}</h3>
      <Group gap="xs">
        {on.map(({ listid, name }) => (
          <Link key={listid} to={`/dashboard/main/lists/${listid}`} className={classes.list}>
            {name}
          </Link>
        ))}
        <Button size="compact-sm" variant="subtle" leftSection={<ListPlus size={14} aria-hidden="true" />} onClick={() => setAdding(true)}>
          {t("people.toList")}
        </Button>
      </Group>
      <Suspense>{adding && <ListDialog urls={[url]} onClose={() => setAdding(false)} onDone={() => setAdding(false)} />}</Suspense>
    </Stack>
  );
}

/** The users that revealed the values, and the day on which the contact was added. */
function History({ contact }: { contact: UserContact }) {
  const me = useAccount();
  const members = useQuery({ ...team, enabled: isOwner(me) });
  const nameOf = (id: number) =>
    id === me.appuserid ? t("contacts.byYou") : (members.data?.resource.find(({ appuserid }) => appuserid === id)?.name ?? t("contacts.byColleague"));
  return (
    <Stack component="section" gap="var(--s-1)" className={classes.section} aria-label={t("contacts.history")}>
      <h3>{t("contacts.history")}</h3>
      <Field label={t("contacts.revealedOn")}>{localDayText(contact.createdon)}</Field>
      {contact.revealedby !== null && <Field label={t("contacts.addedBy")}>{nameOf(contact.revealedby)}</Field>}
      {contact.dialrevealedby !== null && <Field label={t("contacts.dialBy")}>{nameOf(contact.dialrevealedby)}</Field>}
    </Stack>
  );
}
