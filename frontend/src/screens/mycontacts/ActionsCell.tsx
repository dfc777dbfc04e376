/** The actions for one contact: both votes, opening it, removing it. */
import { PanelRight, ThumbsDown, ThumbsUp, Trash2, Undo2 } from "lucide-react";
import { use } from "react";
import type { UserContact } from "../../api/types";
import { IconButton } from "../../components/ui/IconButton";
import { voteOnAll } from "../../domain/votes";
import { t } from "../../lib/i18n.dashboard";
import classes from "./MyContacts.module.css";
import { VotingContext, votableOf } from "./voting";

export function ActionsCell({ row }: { row: UserContact }) {
  const { votes, removed, onUpvote, onDownvote, onOpen } = use(VotingContext);
  const values = votableOf(row);
  const vote = voteOnAll(votes, row.linkedinurl, values);
  return (
    <>
      <span className={classes.tools} data-on={removed.has(row.contactid) || undefined}>
        <IconButton aria-label={t("contacts.open", { name: row.name })} onClick={() => onOpen(row)}>
          <PanelRight size={16} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
        <Remove row={row} />
      </span>
      <span className={classes.actions}>
        <Vote
          label={t("vote.up")}
          hint={t("vote.upHint", { count: values.length })}
          pressed={vote === "mixed" ? "mixed" : vote === "upvote"}
          disabled={values.length === 0}
          onClick={() => onUpvote(row)}
        >
          <ThumbsUp size={16} strokeWidth={1.75} aria-hidden="true" />
        </Vote>
        <Vote
          label={t("vote.down")}
          hint={t("vote.downHint", { count: values.length })}
          pressed={vote === "downvote"}
          disabled={values.length === 0}
          onClick={() => onDownvote(row)}
        >
          <ThumbsDown size={16} strokeWidth={1.75} aria-hidden="true" />
        </Vote>
      </span>
    </>
  );
}

/** The same button restores the contact while that is possible, so that it keeps the focus. */
function Remove({ row }: { row: UserContact }) {
  const { removed, isMine, onRemove, onRestore } = use(VotingContext);
  const canRestore = removed.has(row.contactid);
  if (!canRestore && (row.deleted || !isMine(row))) return null;
  const Icon = canRestore ? Undo2 : Trash2;
  return (
    <IconButton
      aria-label={t(canRestore ? "contacts.restore" : "contacts.remove", { name: row.name })}
      onClick={() => (canRestore ? onRestore(row) : onRemove(row))}
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
    </IconButton>
  );
}

interface VoteProps {
  label: string;
  /** The vote that a click gives. */
  hint: string;
  pressed: boolean | "mixed";
  disabled: boolean;
  onClick: () => void;
  children: React.ReactNode;
}

function Vote({ label, hint, pressed, disabled, onClick, children }: VoteProps) {
  return (
    <IconButton title={hint} aria-label={label} aria-description={hint} pressed={pressed} disabled={disabled} onClick={onClick}>
      {children}
    </IconButton>
  );
}
