/** The contacts of one page, and the votes about them. */
import { Checkbox, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useFeedback, votesOn } from "../../api/contacts";
import { explain } from "../../api/explain";
import type { Feedback, UserContact } from "../../api/types";
import { type FlagAnswer, FlagDialog } from "../../components/FlagDialog";
import { t } from "../../lib/i18n.dashboard";
import { FEEDBACK_TYPE } from "../../domain/reveal";
import type { Votable, Votes } from "../../domain/votes";
import { toast } from "../../stores/toasts";
import { ContactRow, votableOf } from "./ContactRow";
import classes from "./MyContacts.module.css";
import { type Selection, canSelect } from "./useSelection";

type Details = Omit<Feedback, "linkedin_url" | "action">;

interface Voting {
  row: UserContact;
  values: Votable[];
}

const NO_VOTES: Votes = new Map();

export function ContactsTable({ rows, selection }: { rows: UserContact[]; selection: Selection }) {
  const [flagging, setFlagging] = useState<Voting | null>(null);
  const { data: votes = NO_VOTES } = useQuery(votesOn(rows.map((row) => row.linkedinurl)));
  const feedback = useFeedback();

  const open = rows.filter(canSelect);
  const ticked = rows.filter(selection.has).length;
  const all = open.length > 0 && open.every(selection.has);

  const vote = (row: UserContact, action: Feedback["action"], details: Details[]) =>
    feedback.mutate(
      details.map((one) => ({ linkedin_url: row.linkedinurl, action, ...one })),
      {
        onSuccess: () => {
          setFlagging(null);
          toast(t("vote.thanks"));
        },
        onError: (error) => toast(explain(error), "bad"),
      },
    );
  const upvote = (row: UserContact) =>
    vote(row, "upvote", votableOf(row).map(({ kind, value }) => ({ info: value, type: FEEDBACK_TYPE[kind] })));
  const flag = (answer: FlagAnswer) => flagging && vote(flagging.row, "downvote", [answer]);

  return (
    <>
      <Table.ScrollContainer className={classes.scroll} minWidth={980} tabIndex={0} aria-label={t("contacts.title")} role="region">
        <Table className={classes.table} verticalSpacing="sm" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={44}>
                <Checkbox
                  aria-label={t("contacts.selectAll")}
                  checked={all}
                  indeterminate={ticked > 0 && !all}
                  disabled={open.length === 0 && ticked === 0}
                  onChange={() => selection.toggleAll(rows)}
                />
              </Table.Th>
              <Table.Th>{t("contacts.name")}</Table.Th>
              <Table.Th>{t("contacts.phone")}</Table.Th>
              <Table.Th>{t("contacts.business")}</Table.Th>
              <Table.Th>{t("contacts.personal")}</Table.Th>
              <Table.Th w={104}>{t("contacts.feedback")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <ContactRow
                key={row.contactid}
                row={row}
                selected={selection.has(row)}
                votes={votes}
                onToggle={() => selection.toggle(row)}
                onUpvote={() => upvote(row)}
                onDownvote={() => setFlagging({ row, values: votableOf(row) })}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <FlagDialog values={flagging && flagging.values} busy={feedback.isPending} onClose={() => setFlagging(null)} onSubmit={flag} />
    </>
  );
}
