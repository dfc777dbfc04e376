/** The values of a contact in the drawer, each with copy and votes; a kind that was not revealed leads to the search. */
import { ActionIcon, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CircleCheck, Flag, Search, ThumbsUp } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { toast } from "../../../shared/toasts";
import { useFeedback, votesOn } from "../../api/contacts";
import { explain } from "../../api/explain";
import type { Feedback, Found, UserContact } from "../../api/types";
import { Address } from "../../components/Address";
import { CopyButton } from "../../components/CopyButton";
import { type FlagAnswer, FlagDialog } from "../../components/FlagDialog";
import { PhoneText } from "../../components/PhoneText";
import { Field } from "../../components/ui/Field";
import { FEEDBACK_TYPE, KINDS, type Kind, fieldOf } from "../../domain/reveal";
import { type Votable, type Vote, voteOn } from "../../domain/votes";
import { t } from "../../lib/i18n.dashboard";
import classes from "./ContactDrawer.module.css";
import { votableOf } from "./voting";

export function ContactValues({ contact, person }: { contact: UserContact; person: Found | null }) {
  const url = contact.linkedinurl;
  const [flagged, setFlagged] = useState<Votable | null>(null);
  const { data: votes } = useQuery(votesOn([url]));
  const feedback = useFeedback();
  const all = votableOf(contact);

  const vote = (details: Omit<Feedback, "linkedin_url">) =>
    feedback.mutate([{ linkedin_url: url, ...details }], {
      onSuccess: () => {
        setFlagged(null);
        toast(t(details.action === "withdraw" ? "vote.withdrawn" : "vote.thanks"));
      },
      onError: (error) => toast(explain(error), "bad"),
    });
  const voteOf = (one: Votable) => votes && voteOn(votes, url, one);
  const flag = (answer: FlagAnswer) => vote({ action: "downvote", ...answer });

  return (
    <>
      {KINDS.map((kind) => {
        const values = all.filter((one) => one.kind === kind);
        return (
          <Field key={kind} label={t(`kind.${kind}`)}>
            {values.map((one) => (
              <Bought
                key={one.value}
                kind={kind}
                value={one.value}
                verified={isVerified(person, kind, one.value)}
                vote={voteOf(one)}
                onUpvote={() => vote({ action: voteOf(one) === "upvote" ? "withdraw" : "upvote", info: one.value, type: FEEDBACK_TYPE[kind] })}
                onFlag={() => setFlagged(one)}
              />
            ))}
            {values.length === 0 && <Missing kind={kind} url={url} />}
          </Field>
        );
      })}
      <FlagDialog values={flagged && [flagged]} busy={feedback.isPending} voteOf={voteOf} onClose={() => setFlagged(null)} onSubmit={flag} onWithdraw={(answer) => vote({ action: "withdraw", ...answer })} />
    </>
  );
}

/** Whether an address is known to take mail; null where nothing is known. */
function isVerified(person: Found | null, kind: Kind, value: string): boolean | null {
  const found = person && fieldOf(person, kind).values.find(({ text }) => text === value);
  return found?.verified ?? null;
}

interface BoughtProps {
  kind: Kind;
  value: string;
  verified: boolean | null;
  vote: Vote | undefined;
  onUpvote: () => void;
  onFlag: () => void;
}

function Bought({ kind, value, verified, vote, onUpvote, onFlag }: BoughtProps) {
  return (
    <div className={classes.bought}>
      <span className={classes.whole}>
        {kind === "phone" ? (
          <a href={`tel:${value}`} className={classes.reach}>
            <PhoneText value={value} />
          </a>
        ) : (
          <a href={`mailto:${value}`} className={classes.reach}>
            <Address text={value} />
          </a>
        )}
      </span>
      {verified && <CircleCheck size={14} className={classes.good} role="img" aria-label={t("search.verified")} />}
      <span className={classes.tools}>
        <CopyButton text={value} label={t("search.copy", { value })} onCopied={() => toast(t("copied"))} />
        <ActionIcon {...look(vote === "upvote")} aria-label={`${t("vote.up")} ${value}`} onClick={onUpvote}>
          <ThumbsUp size={16} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
        <ActionIcon {...look(vote === "downvote")} aria-label={t("vote.flag", { value })} onClick={onFlag}>
          <Flag size={16} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      </span>
    </div>
  );
}

const look = (pressed: boolean) =>
  ({ variant: pressed ? "light" : "subtle", color: pressed ? "pine" : "gray", "aria-pressed": pressed }) as const;

function Missing({ kind, url }: { kind: Kind; url: string }) {
  return (
    <Button
      component={Link}
      to={`/dashboard/main/search?url=${encodeURIComponent(url)}&kinds=${kind}`}
      size="compact-sm"
      variant="subtle"
      leftSection={<Search size={14} aria-hidden="true" />}
      aria-label={`${t("contacts.revealMissing")}: ${t(`kind.${kind}`)}`}
    >
      {t("contacts.revealMissing")}
    </Button>
  );
}
