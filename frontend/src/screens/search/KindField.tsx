/** One kind of data of a person: masked with a reveal button, or its values. */
import { Eye } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { creditsOf, isOwner, useAccount, useBalancesKnown } from "../../api/account";
import { useReveal } from "../../api/contacts";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import type { Found } from "../../api/types";
import { BusyButton } from "../../components/ui/BusyButton";
import { FormAlert } from "../../components/ui/FormAlert";
import { t } from "../../lib/i18n.dashboard";
import { CREDIT_OF, type Kind, REVEAL_TYPE, fieldOf, withRevealed } from "../../domain/reveal";
import { toast } from "../../stores/toasts";
import type { Vote } from "../../domain/votes";
import classes from "./ContactCard.module.css";
import { KIND_ICONS } from "./icons";
import { Value } from "./Value";

interface Props {
  kind: Kind;
  found: Found;
  linkedinurl: string;
  canReveal: boolean;
  voteOf: (value: string) => Vote | undefined;
  onChange: (found: Found) => void;
  onUpvote: (value: string) => void;
  onFlag: (value: string) => void;
}

export function KindField({ kind, found, linkedinurl, canReveal, voteOf, onChange, onUpvote, onFlag }: Props) {
  const { reveal, busy, problem } = useRevealOf(kind, found, linkedinurl, onChange);
  const { values, hidden } = fieldOf(found, kind);
  const [field, asked] = useFocusOnRevealed(hidden);
  const Icon = KIND_ICONS[kind];
  const label = t(`kind.${kind}`);

  return (
    <section ref={field} tabIndex={-1} className={classes.field} aria-label={label} data-hidden={hidden || undefined}>
      <h3 className={classes.label}>
        <Icon size={16} aria-hidden="true" />
        {label}
      </h3>
      {values.length === 0 && <p className={classes.nothing}>{kind === "phone" ? t("search.noPhone") : t("search.noEmail")}</p>}
      <ul className={classes.values}>
        {values.map(({ text, verified }, index) => (
          <Value
            key={`${text}-${index}`}
            value={text}
            hidden={hidden}
            verified={verified}
            vote={voteOf(text)}
            onUpvote={() => onUpvote(text)}
            onFlag={() => onFlag(text)}
          />
        ))}
      </ul>
      {hidden && canReveal && (
        <BusyButton
          className={classes.reveal}
          size="sm"
          variant="light"
          busy={busy}
          onClick={() => {
            asked();
            reveal();
          }}
          aria-label={t("search.revealOf", { kind: label })}
          leftSection={<Eye size={16} aria-hidden="true" />}
        >
          {t("search.reveal")}
          <span className={classes.cost}>{t("search.oneCredit")}</span>
        </BusyButton>
      )}
      {hidden && problem && (
        <div className={classes.problem}>
          <FormAlert text={problem} />
        </div>
      )}
    </section>
  );
}

/** Moves the focus to what has been revealed: the button that had it is gone, and Tab would begin at the top again. */
function useFocusOnRevealed(hidden: boolean) {
  const field = useRef<HTMLElement>(null);
  const waiting = useRef(false);
  useEffect(() => {
    if (!waiting.current || hidden) return;
    waiting.current = false;
    // Leave the focus alone if it has moved elsewhere meanwhile.
    if (document.activeElement === document.body) field.current?.focus();
  }, [hidden]);
  const asked = () => {
    waiting.current = true;
  };
  return [field, asked] as const;
}

/** Pays one credit for the values of a kind. Without one the owner is led to the plans; a member sees the reason here. */
function useRevealOf(kind: Kind, found: Found, linkedinurl: string, onChange: (found: Found) => void) {
  const me = useAccount();
  const know = useBalancesKnown();
  const navigate = useNavigate();
  const getcontact = useReveal();
  const [problem, setProblem] = useState<string | null>(null);

  const outOfCredits = () => {
    const text = kind === "phone" ? t("search.numberOver") : t("search.emailOver");
    if (!isOwner(me)) return setProblem(`${text}. ${t("search.askOwner")}`);
    toast(text, "bad");
    void navigate("/dashboard/upgradeplan");
  };
  const refused = (error: Error) => {
    if (error instanceof ApiError && error.reason === "no_credit") outOfCredits();
    else setProblem(explain(error));
  };
  const reveal = () => {
    setProblem(null);
    if ((creditsOf(me)?.[CREDIT_OF[kind]] ?? 0) <= 0) return outOfCredits();
    getcontact.mutate(
      { linkedinurl, type: REVEAL_TYPE[kind], action: "reveal" },
      {
        onSuccess: ({ contactdata, credits }) => {
          know(credits);
          onChange(withRevealed(found, kind, contactdata[0]));
        },
        onError: refused,
      },
    );
  };
  return { reveal, busy: getcontact.isPending, problem };
}
