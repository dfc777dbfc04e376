/** One contact: up to three values of each kind, a tick and two votes. */
import { ActionIcon, Anchor, Badge, Checkbox, Table, Tooltip, UnstyledButton } from "@mantine/core";
import { ThumbsDown, ThumbsUp } from "lucide-react";
import type { UserContact } from "../../api/types";
import { NameAvatar } from "../../components/NameAvatar";
import { copyText } from "../../lib/clipboard";
import { profileLink, valuesOf } from "../../lib/contacts";
import { t } from "../../lib/i18n";
import { toast } from "../../stores/toasts";
import classes from "./MyContacts.module.css";
import { canSelect } from "./useSelection";

const MOST_VALUES = 3;

interface Props {
  row: UserContact;
  selected: boolean;
  vote: "upvote" | "downvote" | undefined;
  onToggle: () => void;
  onUpvote: () => void;
  onDownvote: () => void;
}

export function ContactRow({ row, selected, vote, onToggle, onUpvote, onDownvote }: Props) {
  const { phones, business, personal } = valuesOf(row);
  const hasValues = phones.length + business.length + personal.length > 0;
  return (
    <Table.Tr data-deleted={row.deleted ? true : undefined} data-selected={selected || undefined}>
      <Table.Td>
        <Checkbox
          aria-label={t("contacts.select", { name: row.name })}
          checked={selected}
          disabled={!canSelect(row) && !selected}
          onChange={onToggle}
        />
      </Table.Td>
      <Table.Td>
        <div className={classes.name}>
          <NameAvatar name={row.name} size={34} />
          <Anchor href={profileLink(row.linkedinurl)} target="_blank" rel="noopener noreferrer" fw={560}>
            {row.name}
          </Anchor>
          {Boolean(row.deleted) && (
            <Badge color="gray" variant="light" tt="none">
              {t("contacts.deleted")}
            </Badge>
          )}
        </div>
      </Table.Td>
      <Values label={t("contacts.phone")} values={phones} />
      <Values label={t("contacts.business")} values={business} />
      <Values label={t("contacts.personal")} values={personal} />
      <Table.Td>
        <div className={classes.votes}>
          <Vote label={t("vote.up")} pressed={vote === "upvote"} disabled={!hasValues} onClick={onUpvote}>
            <ThumbsUp size={16} aria-hidden="true" />
          </Vote>
          <Vote label={t("vote.down")} pressed={vote === "downvote"} disabled={!hasValues} onClick={onDownvote}>
            <ThumbsDown size={16} aria-hidden="true" />
          </Vote>
        </div>
      </Table.Td>
    </Table.Tr>
  );
}

async function copy(value: string): Promise<void> {
  await copyText(value);
  toast(t("copied"));
}

/** The label stands before the values where the table is drawn as cards. */
function Values({ label, values }: { label: string; values: string[] }) {
  if (values.length === 0) {
    return (
      <Table.Td className={classes.none} data-label={label}>
        –
      </Table.Td>
    );
  }
  return (
    <Table.Td data-label={label}>
      <ul className={classes.values}>
        {values.slice(0, MOST_VALUES).map((value) => (
          <li key={value}>
            <UnstyledButton className={classes.value} title={value} aria-label={t("search.copy", { value })} onClick={() => void copy(value)}>
              {value}
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </Table.Td>
  );
}

interface VoteProps {
  label: string;
  pressed: boolean;
  disabled: boolean;
  onClick: () => void;
  children: React.ReactNode;
}

function Vote({ label, pressed, disabled, onClick, children }: VoteProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={pressed ? "light" : "subtle"}
        color={pressed ? "pine" : "gray"}
        aria-label={label}
        aria-pressed={pressed}
        disabled={disabled}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
