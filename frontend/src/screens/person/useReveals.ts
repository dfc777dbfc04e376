/** Reveals kinds of data: one, or all that are still hidden. */
import { useState } from "react";
import { useNavigate } from "react-router";
import { toast } from "../../../shared/toasts";
import { creditsOf, isOwner, useAccount, useBalancesKnown } from "../../api/account";
import { useReveal } from "../../api/contacts";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import type { Found } from "../../api/types";
import { CREDIT_OF, type Kind, REVEAL_TYPE, withRevealed } from "../../domain/reveal";
import { t } from "../../lib/i18n.dashboard";

type ByKind<Value> = Partial<Record<Kind, Value>>;

export interface Reveals {
  /** Requests the kinds one after the other; each is charged separately. */
  reveal: (kinds: readonly Kind[]) => Promise<void>;
  busy: ByKind<boolean>;
  problems: ByKind<string>;
  /** Values revealed since the card was shown. */
  fresh: ByKind<boolean>;
}

export function useReveals(linkedinurl: string, onChange: (update: (found: Found) => Found) => void): Reveals {
  const me = useAccount();
  const know = useBalancesKnown();
  const navigate = useNavigate();
  const getcontact = useReveal();
  const [busy, setBusy] = useState<ByKind<boolean>>({});
  const [problems, setProblems] = useState<ByKind<string>>({});
  const [fresh, setFresh] = useState<ByKind<boolean>>({});

  /** Without credits the owner is redirected to the plans; a member sees the reason here. */
  const outOfCredits = (kind: Kind) => {
    const text = kind === "phone" ? t("search.numberOver") : t("search.emailOver");
    if (!isOwner(me)) return setProblems((old) => ({ ...old, [kind]: `${text}. ${t("search.askOwner")}` }));
    toast(text, "bad");
    void navigate("/dashboard/upgradeplan");
  };
  const rejected = (kind: Kind, error: unknown) => {
    if (error instanceof ApiError && error.reason === "no_credit") outOfCredits(kind);
    else setProblems((old) => ({ ...old, [kind]: explain(error) }));
  };
  const one = async (kind: Kind): Promise<boolean> => {
    setProblems((old) => ({ ...old, [kind]: undefined }));
    if ((creditsOf(me)?.[CREDIT_OF[kind]] ?? 0) <= 0) {
      outOfCredits(kind);
      return false;
    }
    try {
      const { contactdata, credits } = await getcontact.mutateAsync({ linkedinurl, type: REVEAL_TYPE[kind], action: "reveal" });
      know(credits);
      setFresh((old) => ({ ...old, [kind]: true }));
      onChange((found) => withRevealed(found, kind, contactdata[0]));
      return true;
    } catch (error) {
      rejected(kind, error);
      return false;
    }
  };
  const reveal = async (kinds: readonly Kind[]) => {
    setBusy(Object.fromEntries(kinds.map((kind) => [kind, true])));
    for (const kind of kinds) {
      if (!(await one(kind)) && isOwner(me)) break;
      setBusy((old) => ({ ...old, [kind]: false }));
    }
    setBusy({});
  };
  return { reveal, busy, problems, fresh };
}
