/** One kind of data of a person: masked with a reveal button, or its values. */
import { Eye } from "lucide-react";
import { useEffect, useRef } from "react";
import { useAccount } from "../../api/account";
import type { Found } from "../../api/types";
import { BusyButton } from "../../components/ui/BusyButton";
import { FormAlert } from "../../components/ui/FormAlert";
import { type Kind, REVEAL_TYPE, fieldOf } from "../../domain/reveal";
import type { Vote } from "../../domain/votes";
import { briefDayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import classes from "./Card.module.css";
import { KIND_ICONS } from "../../components/kindIcons";
import type { Reveals } from "./useReveals";
import { Value } from "./Value";

interface Props {
  kind: Kind;
  found: Found;
  canReveal: boolean;
  reveals: Reveals;
  voteOf: (value: string) => Vote | undefined;
  onUpvote: (value: string) => void;
  onFlag: (value: string) => void;
}

export function KindField({ kind, found, canReveal, reveals, voteOf, onUpvote, onFlag }: Props) {
  const { values, hidden } = fieldOf(found, kind);
  const [field, asked] = useFocusOnRevealed(hidden);
  const Icon = KIND_ICONS[kind];
  const label = t(`kind.${kind}`);
  const problem = reveals.problems[kind];

  return (
    <section
      ref={field}
      tabIndex={-1}
      className={classes.field}
      aria-label={label}
      data-hidden={hidden || undefined}
      data-fresh={(reveals.fresh[kind] && !hidden) || undefined}
    >
      <h3 className={classes.label}>
        <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
        {label}
      </h3>
      {values.length === 0 && <p className={classes.nothing}>{kind === "phone" ? t("search.noPhone") : t("search.noEmail")}</p>}
      {values.length > 0 && (
        <ul className={classes.values}>
          {values.map(({ text, verified }, index) => (
            <Value
              key={hidden ? `mask-${index}` : `${text}-${index}`}
              kind={kind}
              value={text}
              hidden={hidden}
              verified={verified}
              vote={voteOf(text)}
              onUpvote={() => onUpvote(text)}
              onFlag={() => onFlag(text)}
            />
          ))}
        </ul>
      )}
      {!hidden && values.length > 0 && <Memory found={found} kind={kind} />}
      {hidden && canReveal && (
        <BusyButton
          className={classes.reveal}
          size="sm"
          variant="default"
          busy={reveals.busy[kind]}
          onClick={() => {
            asked();
            void reveals.reveal([kind]);
          }}
          leftSection={<Eye size={16} strokeWidth={1.75} aria-hidden="true" />}
        >
          {t("search.reveal")} <span className="visually-hidden">{label},</span> <span className={classes.cost}>{t("search.oneCredit")}</span>
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

/** The user that paid for this kind earlier, and the day; revealing it again is free. */
function Memory({ found, kind }: { found: Found; kind: Kind }) {
  const me = useAccount();
  const earlier = found.revealed?.find(({ type }) => type === REVEAL_TYPE[kind]);
  if (!earlier) return null;
  if (earlier.returnedon) return <p className={classes.memory}>{t("search.returned", { date: briefDayText(earlier.returnedon) })}</p>;
  const date = briefDayText(earlier.revealedon);
  const name = earlier.name ?? t("search.byKey");
  return (
    <p className={classes.memory}>
      {earlier.appuserid === me.appuserid ? t("search.revealedByYou", { date }) : t("search.revealedBy", { name, date })}
    </p>
  );
}

/** Moves the focus to the revealed value. The focused button has disappeared, and Tab would start at the top again. */
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
