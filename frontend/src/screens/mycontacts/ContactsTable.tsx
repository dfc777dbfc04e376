/** The contacts of one page, and the votes about them. */
import { useQuery } from "@tanstack/react-query";
import { Suspense, lazy, useLayoutEffect, useMemo, useRef, useState } from "react";
import { copyText } from "../../../shared/clipboard";
import { toast } from "../../../shared/toasts";
import { useFeedback, votesOn } from "../../api/contacts";
import { explain } from "../../api/explain";
import type { Feedback, UserContact } from "../../api/types";
import type { FlagAnswer } from "../../components/FlagDialog";
import { DataTable } from "../../components/ui/DataTable";
import { Pager } from "../../components/ui/Pager";
import type { ContactOrder } from "../../domain/contactfilter";
import { FEEDBACK_TYPE } from "../../domain/reveal";
import { NO_VOTES, type Votable, voteOn, voteOnAll } from "../../domain/votes";
import { t } from "../../lib/i18n.dashboard";
import { columnsOf } from "./columns";
import { PhoneRow } from "./PhoneRow";
import { type ChangeList, type ListParams, useIsMine } from "./useListParams";
import type { Removal } from "./useRemoval";
import { type Selection, canSelect } from "./useSelection";
import { type Voting, VotingContext, votableOf } from "./voting";

const FlagDialog = lazy(() => import("../../components/FlagDialog"));

type Details = Omit<Feedback, "linkedin_url" | "action">;

const SORTS: Record<ContactOrder, { by: string; down: boolean }> = {
  newest: { by: "newest", down: true },
  oldest: { by: "newest", down: false },
  name: { by: "name", down: false },
  "-name": { by: "name", down: true },
};
const OTHER_WAY: Record<ContactOrder, ContactOrder> = { newest: "oldest", oldest: "newest", name: "-name", "-name": "name" };

/** Own votes on the values of a page. */
export const votesOf = (rows: readonly UserContact[]) => votesOn(rows.map((row) => row.linkedinurl));

interface Props {
  rows: UserContact[];
  count: number;
  shown: ListParams;
  change: ChangeList;
  selection: Selection;
  removal: Removal;
  onExport: () => void;
}

export function ContactsTable({ rows, count, shown, change, selection, removal, onExport }: Props) {
  const [flagging, setFlagging] = useState<UserContact | null>(null);
  const { data: votes = NO_VOTES } = useQuery(votesOf(rows));
  const feedback = useFeedback();

  const vote = (row: UserContact, action: Feedback["action"], details: Details[]) =>
    feedback.mutate(
      details.map((one) => ({ linkedin_url: row.linkedinurl, action, ...one })),
      {
        onSuccess: () => {
          setFlagging(null);
          toast(t(action === "withdraw" ? "vote.withdrawn" : "vote.thanks"));
        },
        onError: (error) => toast(explain(error), "bad"),
      },
    );
  const upvote = (row: UserContact) => {
    const values = votableOf(row);
    const pressed = voteOnAll(votes, row.linkedinurl, values) === "upvote";
    vote(row, pressed ? "withdraw" : "upvote", values.map(({ kind, value }) => ({ info: value, type: FEEDBACK_TYPE[kind] })));
  };
  const flag = (answer: FlagAnswer) => flagging && vote(flagging, "downvote", [answer]);
  const voteOf = (one: Votable) => (flagging ? voteOn(votes, flagging.linkedinurl, one) : undefined);
  const open = (row: UserContact) => change({ contact: row.contactid });

  const { hide, compact } = shown;
  const columns = useMemo(() => columnsOf(hide, compact), [hide, compact]);
  const isMine = useIsMine(shown);
  const voting = useVoting({
    isMine,
    votes,
    onUpvote: upvote,
    onDownvote: setFlagging,
    onOpen: open,
    removed: removal.removed,
    onRemove: removal.remove,
    onRestore: removal.restore,
  });
  const sort = (by: string) => {
    const isShown = SORTS[shown.order].by === by;
    change({ order: isShown ? OTHER_WAY[shown.order] : (by as ContactOrder), page: 1 });
  };

  return (
    <VotingContext value={voting}>
      <DataTable
        label={t("contacts.title")}
        columns={columns}
        rows={rows}
        rowKey={idOf}
        selection={{
          has: selection.has,
          canSelect,
          set: selection.set,
          toggleAll: selection.toggleAll,
          nameOf: (row) => t("contacts.select", { name: row.name }),
          allLabel: t("contacts.selectAll"),
        }}
        sort={SORTS[shown.order]}
        onSort={sort}
        onOpen={open}
        keys={{ onExport, onReveal: open, onCopy: (row) => void copyBest(row) }}
        phone={phoneRow}
        state={(row) => (row.deleted ? "deleted" : row.contactid === shown.contact ? "open" : undefined)}
        compact={shown.compact}
        foot={<Pager page={shown.page} size={shown.size} count={count} onChange={change} />}
      />
      <Suspense>{flagging && <FlagDialog values={votableOf(flagging)} busy={feedback.isPending} voteOf={voteOf} onClose={() => setFlagging(null)} onSubmit={flag} onWithdraw={(one) => vote(flagging, "withdraw", [one])} />}</Suspense>
    </VotingContext>
  );
}

/** Copies the first number, or else the first address. */
async function copyBest(row: UserContact): Promise<void> {
  const [best] = votableOf(row);
  if (!best) return;
  await copyText(best.value);
  toast(t("copiedFully"));
}

const idOf = (row: UserContact) => row.contactid;
const phoneRow = (row: UserContact) => <PhoneRow row={row} />;

/** The same object until the votes or removals change: a tick must not rerender every cell. */
function useVoting(now: Voting): Voting {
  const latest = useRef(now);
  useLayoutEffect(() => {
    latest.current = now;
  });
  const { votes, removed, isMine } = now;
  return useMemo(
    () => ({
      votes,
      removed,
      onUpvote: (row) => latest.current.onUpvote(row),
      onDownvote: (row) => latest.current.onDownvote(row),
      onOpen: (row) => latest.current.onOpen(row),
      isMine,
      onRemove: (row) => latest.current.onRemove(row),
      onRestore: (row) => latest.current.onRestore(row),
    }),
    [votes, removed, isMine],
  );
}
