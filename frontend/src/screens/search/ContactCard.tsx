/** The person found, with each requested kind of data. */
import { Anchor, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { creditsOf, hasLivePlan, isExpired, isOwner, useAccount } from "../../api/account";
import { type Asked, useFeedback, votesOn } from "../../api/contacts";
import { explain } from "../../api/explain";
import type { Feedback, Found } from "../../api/types";
import { type FlagAnswer, FlagDialog } from "../../components/FlagDialog";
import { NameAvatar } from "../../components/NameAvatar";
import { profileLink } from "../../domain/contacts";
import { t } from "../../lib/i18n.dashboard";
import { FEEDBACK_TYPE, KINDS, type Kind, fieldOf } from "../../domain/reveal";
import { type Votable, voteOn } from "../../domain/votes";
import { toast } from "../../stores/toasts";
import classes from "./ContactCard.module.css";
import { KindField } from "./KindField";

interface Props {
  found: Found;
  asked: Asked;
  onChange: (found: Found) => void;
}

export function ContactCard({ found, asked, onChange }: Props) {
  const me = useAccount();
  const [flagged, setFlagged] = useState<Votable | null>(null);
  const feedback = useFeedback();
  const url = found.linkedinurl || asked.linkedinurl;
  const { data: votes } = useQuery({ ...votesOn([url]), enabled: KINDS.some((kind) => isShown(found, kind)) });

  const vote = (details: Omit<Feedback, "linkedin_url">) =>
    feedback.mutate([{ linkedin_url: url, ...details }], {
      onSuccess: () => {
        setFlagged(null);
        toast(t("vote.thanks"));
      },
      onError: (error) => toast(explain(error), "bad"),
    });
  const flag = (answer: FlagAnswer) => vote({ action: "downvote", ...answer });

  return (
    <article className={classes.card}>
      <header className={classes.who}>
        <NameAvatar name={found.full_name} size={56} />
        <div className={classes.names}>
          <h2>{found.full_name.toUpperCase()}</h2>
          <p>{[found.title, found.company].filter(Boolean).join(" · ")}</p>
        </div>
        <Anchor href={profileLink(url)} target="_blank" rel="noopener noreferrer" size="sm" className={classes.link}>
          {t("search.profile")} <ExternalLink size={14} aria-hidden="true" />
        </Anchor>
      </header>
      {!hasLivePlan(me) ? (
        <Exhausted title={t("plan.expired")} isOwner={isOwner(me)} />
      ) : (
        hasNoCredit(me) && <Exhausted title={t("search.exhausted")} isOwner={isOwner(me)} />
      )}
      {KINDS.filter((kind) => asked[kind]).map((kind) => (
        <KindField
          key={kind}
          kind={kind}
          found={found}
          linkedinurl={url}
          canReveal={!isExpired(me)}
          voteOf={(value) => votes && voteOn(votes, url, { kind, value })}
          onChange={onChange}
          onUpvote={(value) => vote({ action: "upvote", info: value, type: FEEDBACK_TYPE[kind] })}
          onFlag={(value) => setFlagged({ kind, value })}
        />
      ))}
      <FlagDialog values={flagged && [flagged]} busy={feedback.isPending} onClose={() => setFlagged(null)} onSubmit={flag} />
    </article>
  );
}

/** Only what was paid for can have been voted on. */
function isShown(found: Found, kind: Kind): boolean {
  const { values, hidden } = fieldOf(found, kind);
  return values.length > 0 && !hidden;
}

function hasNoCredit(me: Parameters<typeof creditsOf>[0]): boolean {
  const credits = creditsOf(me);
  return !credits || credits.contactcredit + credits.bus_email_credits + credits.personal_email_credits === 0;
}

function Exhausted({ title, isOwner: owns }: { title: string; isOwner: boolean }) {
  return (
    <div className={classes.exhausted}>
      <div>
        <strong>{title}</strong>
        <p>{owns ? t("search.exhaustedText") : t("search.askOwner")}</p>
      </div>
      {owns && (
        <Button component={Link} to="/dashboard/upgradeplan" role="button" size="sm">
          {t("search.upgradePlan")}
        </Button>
      )}
    </div>
  );
}
