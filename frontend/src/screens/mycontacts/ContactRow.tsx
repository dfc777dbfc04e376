/** One contact: up to three values of each kind, a tick and two votes. */
import { ActionIcon, Anchor, Badge, Checkbox, Table, Tooltip, UnstyledButton } from "@mantine/core";
import { ThumbsDown, ThumbsUp } from "lucide-react";
import type { UserContact } from "../../api/types";
import { NameAvatar } from "../../components/NameAvatar";
import { copyText } from "../../lib/clipboard";
import { profileLink, valuesOf } from "../../domain/contacts";
import { t } from "../../lib/i18n.dashboard";
import type { Kind } from "../../domain/reveal";
import { type Votable, type Vote as SavedVote, type Votes, voteOn, voteOnAll } from "../../domain/votes";
import { toast } from "../../stores/toasts";
import classes from "./MyContacts.module.css";
import { canSelect } from "./useSelection";

const MOST_VALUES = 3;

interface Marked {
  value: string;
  vote: SavedVote | undefined;
}

interface Props {
  row: UserContact;
  selected: boolean;
  votes: Votes;
  onToggle: () => void;
  onUpvote: () => void;
  onDownvote: () => void;
}

export function ContactRow({ row, selected, votes, onToggle, onUpvote, onDownvote }: Props) {
  const values = votableOf(row);
  const vote = voteOnAll(votes, row.linkedinurl, values);
  const marked = (kind: Kind): Marked[] =>
    values.filter((one) => one.kind === kind).map((one) => ({ value: one.value, vote: voteOn(votes, row.linkedinurl, one) }));
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
      <Values label={t("contacts.phone")} values={marked("phone")} />
      <Values label={t("contacts.business")} values={marked("business")} />
      <Values label={t("contacts.personal")} values={marked("personal")} />
      <Table.Td>
        <div className={classes.votes}>
          <Vote
            label={t("vote.up")}
            hint={t("vote.upHint", { count: values.length })}
            pressed={vote === "mixed" ? "mixed" : vote === "upvote"}
            disabled={values.length === 0}
            onClick={onUpvote}
          >
            <ThumbsUp size={16} aria-hidden="true" />
          </Vote>
          <Vote
            label={t("vote.down")}
            hint={t("vote.downHint", { count: values.length })}
            pressed={vote === "downvote"}
            disabled={values.length === 0}
            onClick={onDownvote}
          >
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

/** Every value of a contact that can be voted on. */
export function votableOf(row: UserContact): Votable[] {
  const { phones, business, personal } = valuesOf(row);
  return [
    ...phones.map((value): Votable => ({ kind: "phone", value })),
    ...business.map((value): Votable => ({ kind: "business", value })),
    ...personal.map((value): Votable => ({ kind: "personal", value })),
  ];
}

/** The label stands before the values where the table is drawn as cards. */
function Values({ label, values }: { label: string; values: Marked[] }) {
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
        {values.slice(0, MOST_VALUES).map(({ value, vote }) => (
          <li key={value} className={classes.line}>
            <UnstyledButton className={classes.value} title={value} aria-label={t("search.copy", { value })} onClick={() => void copy(value)}>
              {value}
            </UnstyledButton>
            {vote && <Mark vote={vote} />}
          </li>
        ))}
      </ul>
    </Table.Td>
  );
}

/** The own vote on one value. */
function Mark({ vote }: { vote: SavedVote }) {
  const [label, Icon] = vote === "upvote" ? [t("vote.upvoted"), ThumbsUp] : [t("vote.downvoted"), ThumbsDown];
  return (
    <span className={classes.mark} role="img" aria-label={label} title={label} data-down={vote === "downvote" || undefined}>
      <Icon size={13} aria-hidden="true" />
    </span>
  );
}

interface VoteProps {
  label: string;
  /** What a click counts for. */
  hint: string;
  pressed: boolean | "mixed";
  disabled: boolean;
  onClick: () => void;
  children: React.ReactNode;
}

function Vote({ label, hint, pressed, disabled, onClick, children }: VoteProps) {
  return (
    <Tooltip label={hint}>
      <ActionIcon
        variant={pressed ? "light" : "subtle"}
        color={pressed ? "pine" : "gray"}
        aria-label={label}
        aria-description={hint}
        aria-pressed={pressed}
        disabled={disabled}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
