/** A plan change from the first click to the end: limits, preview, confirmation, payment. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { toast } from "../../../shared/toasts";
import { subscriptionOf, useAccount } from "../../api/account";
import { accountOnce, useAccountStale } from "../../api/billing";
import { explain } from "../../api/explain";
import { useMutation } from "../../api/mutation";
import type { Plan } from "../../api/types";
import { t } from "../../lib/i18n.dashboard";
import { type Offer, offerOf } from "../../domain/planchange";
import { type Question, carryOut, overOf, questionAbout, questionAboutKeeping } from "./question";

export interface PlanChange {
  question: Question | null;
  /** The plan of the pressed button while its preview loads. */
  looking: number | null;
  busy: boolean;
  offer: (plan: Plan) => Offer;
  choose: (plan: Plan) => void;
  confirm: () => void;
  /** Keep the cancelled plan instead of subscribing to another one. */
  keep: (present: Plan) => void;
  close: () => void;
}

const DONE = { upgrade: "plans.upgraded", downgrade: "plans.downgraded", resume: "plans.resumed", free: "plans.changed", freelater: "billing.cancelled" } as const;

export function usePlanChange(): PlanChange {
  const me = useAccount();
  const go = useNavigate();
  const queries = useQueryClient();
  const stale = useAccountStale();
  const [question, setQuestion] = useState<Question | null>(null);
  const offer = (plan: Plan) => offerOf(plan, subscriptionOf(me));

  const look = useMutation({ mutationFn: (plan: Plan) => questionAbout(me, plan, offer(plan)) }, 0);
  const keep = useMutation({ mutationFn: (present: Plan) => questionAboutKeeping(me, present) }, 0);
  const act = useMutation({
    mutationFn: async (asked: Question) => {
      await carryOut(me, asked);
      // The provider's event activates the plan itself.
      if (asked.kind === "upgrade") await accountOnce(queries, (now) => subscriptionOf(now)?.planid === asked.plan.planid);
      await stale();
    },
  });
  const rejected = (plan: Plan) => (error: unknown) => {
    const over = overOf(error);
    setQuestion(over && { kind: "limit", plan, over });
    if (!over) toast(explain(error), "bad");
  };

  return {
    question,
    looking: look.isPending ? look.variables.planid : null,
    busy: act.isPending || keep.isPending,
    offer,
    choose: (plan) => look.mutate(plan, { onSuccess: setQuestion, onError: rejected(plan) }),
    confirm: () => {
      if (!question || question.kind === "limit") return;
      const { kind, plan } = question;
      act.mutate(question, {
        onSuccess: () => {
          if (kind === "subscribe") return; // on the way to the hosted page
          setQuestion(null);
          toast(t(DONE[kind]));
          if (kind === "upgrade") void go("/dashboard/paysuccess", { state: { receipt: { planid: plan.planid, total: question.preview.total, currency: question.preview.currency } } });
        },
        onError: rejected(plan),
      });
    },
    keep: (present) => keep.mutate(present, { onSuccess: setQuestion, onError: rejected(present) }),
    close: () => setQuestion(null),
  };
}
