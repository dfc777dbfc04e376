/** The user's votes on the values of one person. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "../../shared/toasts";
import { FEEDBACK_TYPE } from "../domain/reveal";
import { type Votable, voteOn } from "../domain/votes";
import { t } from "../lib/i18n.dashboard";
import { useFeedback, votesOn } from "./contacts";
import { explain } from "./explain";
import type { Feedback } from "./types";

type Details = Omit<Feedback, "linkedin_url">;

/** Votes on values of the person at a URL; `dialog` contains the properties of the report dialog. */
export function usePersonVotes(url: string, enabled = true) {
  const [flagged, setFlagged] = useState<Votable | null>(null);
  const { data: votes } = useQuery({ ...votesOn([url]), enabled });
  const feedback = useFeedback();

  const vote = (details: Details) =>
    feedback.mutate([{ linkedin_url: url, ...details }], {
      onSuccess: () => {
        setFlagged(null);
        toast(t(details.action === "withdraw" ? "vote.withdrawn" : "vote.thanks"));
      },
      onError: (error) => toast(explain(error), "bad"),
    });
  const voteOf = (one: Votable) => votes && voteOn(votes, url, one);

  return {
    voteOf,
    /** Upvotes a value, or withdraws the upvote. */
    upvote: (one: Votable) => vote({ action: voteOf(one) === "upvote" ? "withdraw" : "upvote", info: one.value, type: FEEDBACK_TYPE[one.kind] }),
    flag: (one: Votable) => setFlagged(one),
    dialog: {
      values: flagged && [flagged],
      busy: feedback.isPending,
      voteOf,
      onClose: () => setFlagged(null),
      onSubmit: (answer: Omit<Details, "action">) => vote({ action: "downvote", ...answer }),
      onWithdraw: (answer: Pick<Details, "info" | "type">) => vote({ action: "withdraw", ...answer }),
    },
  };
}
