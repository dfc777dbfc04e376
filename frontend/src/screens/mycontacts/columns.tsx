/** The columns of My Contacts. A cell gets the votes by context, so that the columns themselves stay the same. */
import type { UserContact } from "../../api/types";
import { NameAvatar } from "../../components/NameAvatar";
import type { Column } from "../../components/ui/DataTable";
import { profileLink } from "../../domain/contacts";
import { briefDayText, localDayText } from "../../lib/dates";
import { type TextKey, t } from "../../lib/i18n.dashboard";
import { ActionsCell } from "./ActionsCell";
import classes from "./MyContacts.module.css";
import { ValuesCell } from "./ValuesCell";

const COLUMNS: readonly Column<UserContact>[] = [
  { key: "name", head: t("contacts.name"), sort: "name", cell: (row) => <NameCell row={row} /> },
  { key: "phone", head: t("contacts.phone"), cell: (row) => <ValuesCell row={row} kind="phone" /> },
  { key: "business", head: t("contacts.business"), cell: (row) => <ValuesCell row={row} kind="business" /> },
  { key: "personal", head: t("contacts.personal"), cell: (row) => <ValuesCell row={row} kind="personal" /> },
  { key: "added", head: t("contacts.added"), sort: "newest", cell: (row) => <AddedCell at={row.createdon} /> },
  { key: "feedback", head: t("contacts.feedback"), quiet: true, cell: (row) => <ActionsCell row={row} /> },
];

export const HIDEABLE: readonly (readonly [key: string, text: TextKey])[] = [
  ["phone", "contacts.phone"],
  ["business", "contacts.business"],
  ["personal", "contacts.personal"],
  ["added", "contacts.added"],
  ["feedback", "contacts.feedback"],
];

export const columnsWithout = (hidden: readonly string[]): readonly Column<UserContact>[] =>
  hidden.length === 0 ? COLUMNS : COLUMNS.filter(({ key }) => !hidden.includes(key));

function NameCell({ row }: { row: UserContact }) {
  return (
    <span className={classes.name}>
      <NameAvatar name={row.name} size={24} />
      <span className={classes.who}>
        <a href={profileLink(row.linkedinurl)} target="_blank" rel="noopener noreferrer" className={classes.link}>
          {row.name}
        </a>
        {Boolean(row.deleted) && <span className={classes.removed}>{t("contacts.deleted")}</span>}
      </span>
    </span>
  );
}

function AddedCell({ at }: { at: string }) {
  return (
    <time className={classes.date} dateTime={at} title={localDayText(at)}>
      {briefDayText(at)}
    </time>
  );
}
