/** The columns of My Contacts. A cell gets the votes by context, so that the columns themselves stay the same. */
import { Box, Group } from "@mantine/core";
import type { UserContact } from "../../api/types";
import { CompanyLink } from "../person/CompanyLink";
import { NameAvatar } from "../../components/NameAvatar";
import type { Column } from "../../components/ui/DataTable";
import { profileLink } from "../../domain/contacts";
import { briefDayText, localDayText } from "../../lib/dates";
import { type TextKey, t } from "../../lib/i18n.dashboard";
import { ActionsCell } from "./ActionsCell";
import classes from "./MyContacts.module.css";
import { ValuesCell } from "./ValuesCell";

const columns = (single: boolean, about = true): readonly Column<UserContact>[] => [
  { key: "name", head: t("contacts.name"), sort: "name", cell: (row) => <NameCell row={row} about={about} /> },
  { key: "phone", head: t("contacts.phone"), cell: (row) => <ValuesCell row={row} kind="phone" single={single} /> },
  { key: "business", head: t("contacts.business"), cell: (row) => <ValuesCell row={row} kind="business" single={single} /> },
  { key: "personal", head: t("contacts.personal"), cell: (row) => <ValuesCell row={row} kind="personal" single={single} /> },
  { key: "added", head: t("contacts.added"), sort: "newest", cell: (row) => <AddedCell at={row.createdon} /> },
  { key: "feedback", head: t("contacts.feedback"), quiet: true, cell: (row) => <ActionsCell row={row} /> },
];

const THREE = columns(false);
const SINGLE = columns(true);
const NAMES = [columns(false, false), columns(true, false)] as const;

export const HIDEABLE: readonly (readonly [key: string, text: TextKey])[] = [
  ["about", "contacts.about"],
  ["phone", "contacts.phone"],
  ["business", "contacts.business"],
  ["personal", "contacts.personal"],
  ["added", "contacts.added"],
  ["feedback", "contacts.feedback"],
];

/** The columns that are not hidden, without title and company where `about` is, with up to three values of a kind in a cell or, with `single`, the first. */
export function columnsOf(hidden: readonly string[], single: boolean): readonly Column<UserContact>[] {
  const all = hidden.includes("about") ? NAMES[single ? 1 : 0] : single ? SINGLE : THREE;
  return hidden.length === 0 ? all : all.filter(({ key }) => !hidden.includes(key));
}

function NameCell({ row, about }: { row: UserContact; about: boolean }) {
  return (
    <Group component="span" display="inline-flex" wrap="nowrap" gap="xs" className={classes.name}>
      <NameAvatar name={row.name} size={24} />
      <span className={classes.who}>
        <a href={profileLink(row.linkedinurl)} target="_blank" rel="noopener noreferrer" className={classes.link}>
          {row.name}
        </a>
        {about && row.title && (
          <span className={classes.about} title={row.title}>
            {row.title}
          </span>
        )}
        {about && row.company && row.company !== row.title && (
          <span className={classes.about} title={row.company}>
            <CompanyLink name={row.company} />
          </span>
        )}
        {Boolean(row.deleted) && <Box component="span" fz="xs" lh="xs">{t("contacts.deleted")}</Box>}
      </span>
    </Group>
  );
}

function AddedCell({ at }: { at: string }) {
  return (
    <time className={classes.date} dateTime={at} title={localDayText(at)}>
      {briefDayText(at)}
    </time>
  );
}
