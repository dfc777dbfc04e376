/** The contacts with values that a member revealed in a month, ten per page. */
import { Anchor, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { problemOf } from "../../api/explain";
import type { PlatformUsage, UserContact } from "../../api/types";
import { REVEALED_PAGE, type Revealed, revealedBy } from "../../api/usage";
import { Address } from "../../components/Address";
import { KIND_ICONS } from "../../components/kindIcons";
import { CopyButton } from "../../components/CopyButton";
import { ListState } from "../../components/ListState";
import { NameAvatar } from "../../components/NameAvatar";
import { PhoneText } from "../../components/PhoneText";
import { Drawer } from "../../components/ui/Drawer";
import { Pager } from "../../components/ui/Pager";
import { profileLink, valuesOf } from "../../domain/contacts";
import { KINDS, type Kind } from "../../domain/reveal";
import { localDayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { monthText } from "../../lib/months";
import classes from "./RevealedDrawer.module.css";

interface Props {
  member: PlatformUsage;
  month: string;
  opened: boolean;
  onClose: () => void;
}

export default function RevealedDrawer({ member, month, opened, onClose }: Props) {
  const [page, setPage] = useState(1);
  const list = useQuery(revealedBy(member.appuserid, month, page));
  const count = list.data?.meta?.count ?? 0;
  const title = t("usage.revealedTitle", { name: member.name });
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title={title}
      subtitle={`${monthText(month)}, ${member.email}`}
      lead={<NameAvatar name={member.name} size={32} />}
      foot={
        <Group justify="flex-end" gap="sm" w="100%" className={classes.foot}>
          {count > REVEALED_PAGE && (
            <Pager page={page} size={REVEALED_PAGE} count={count} withSizes={false} onChange={(change) => setPage(change.page)} />
          )}
          <Button onClick={onClose}>{t("done")}</Button>
        </Group>
      }
    >
      <div className={classes.list} aria-busy={list.isFetching} data-stale={list.isPlaceholderData || undefined}>
        <ListState list={list} rows={list.data?.resource} explain={problemOf} skeleton={{ lines: 5 }} card={false}>
          {(rows) => <Contacts rows={rows} label={title} />}
        </ListState>
      </div>
    </Drawer>
  );
}

function Contacts({ rows, label }: { rows: Revealed[]; label: string }) {
  return (
    <ul className={classes.contacts} aria-label={label}>
      {rows.map((row) => (
        <li key={row.contactid}>
          <NameAvatar name={row.contact?.name ?? ""} size={32} />
          {row.contact ? <Who contact={row.contact} /> : <Text span inherit c="dimmed">{t("usage.withColleague")}</Text>}
          <time dateTime={row.latest}>{localDayText(row.latest)}</time>
          {row.contact && <Values contact={row.contact} />}
        </li>
      ))}
    </ul>
  );
}

function Who({ contact }: { contact: UserContact }) {
  return (
    <Anchor href={profileLink(contact.linkedinurl)} target="_blank" rel="noopener noreferrer" fw={500}>
      {contact.name}
    </Anchor>
  );
}

/** One line for each value, with the picture of its kind; kinds without a value are left out. */
function Values({ contact }: { contact: UserContact }) {
  const { phones, business, personal } = valuesOf(contact);
  const values = { phone: phones, business, personal };
  return (
    <dl>
      {KINDS.filter((kind) => values[kind].length > 0).map((kind) => {
        const Icon = KIND_ICONS[kind];
        return (
          <div key={kind}>
            <dt>
              <Icon size={16} strokeWidth={1.75} role="img" aria-label={t(`kind.${kind}`)} />
            </dt>
            <dd>
              {values[kind].map((value) => (
                <Value key={value} kind={kind} value={value} />
              ))}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function Value({ kind, value }: { kind: Kind; value: string }) {
  return (
    <div>
      <span>
        {kind === "phone" ? <PhoneText value={value} plain /> : <Address text={value} />}
      </span>
      <CopyButton text={value} label={t("search.copy", { value })} onCopied={() => toast(t("copied"))} />
    </div>
  );
}
