/** The values of a contact in the drawer, each with copy and votes; a kind that was not revealed links to the search.
 */
import { Button } from "@mantine/core";
import { CircleCheck, Search } from "lucide-react";
import { Link } from "react-router";
import { toast } from "../../../shared/toasts";
import { usePersonVotes } from "../../api/personvotes";
import type { Found, UserContact } from "../../api/types";
import { CopyButton } from "../../components/CopyButton";
import { FlagDialog } from "../../components/FlagDialog";
import { Field } from "../../components/ui/Field";
import { ValueLink } from "../../components/ValueLink";
import { VoteButtons } from "../../components/VoteButtons";
import { KINDS, type Kind, fieldOf } from "../../domain/reveal";
import type { Vote } from "../../domain/votes";
import { t } from "../../lib/i18n.dashboard";
import classes from "./ContactDrawer.module.css";
import { votableOf } from "./voting";

export function ContactValues({ contact, person }: { contact: UserContact; person: Found | null }) {
  const url = contact.linkedinurl;
  const voting = usePersonVotes(url);
  const all = votableOf(contact);

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
                vote={voting.voteOf(one)}
                onUpvote={() => voting.upvote(one)}
                onFlag={() => voting.flag(one)}
              />
            ))}
            {values.length === 0 && <Missing kind={kind} url={url} />}
          </Field>
        );
      })}
      <FlagDialog {...voting.dialog} />
    </>
  );
}

/** Whether an address is known to accept mail; null if nothing is known. */
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
        <ValueLink kind={kind} value={value} />
      </span>
      {verified && <CircleCheck size={14} className={classes.good} role="img" aria-label={t("search.verified")} />}
      <span className={classes.tools}>
        <CopyButton text={value} label={t("search.copy", { value })} onCopied={() => toast(t("copied"))} />
        <VoteButtons value={value} vote={vote} onUpvote={onUpvote} onFlag={onFlag} />
      </span>
    </div>
  );
}

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
