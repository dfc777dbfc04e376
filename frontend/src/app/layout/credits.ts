/** The three balances with the credits of a period, and whether they run low. */
import { creditsOf, isFreePlan, subscriptionOf } from "../../api/account";
import type { Account } from "../../api/types";
import { CREDIT_OF, KINDS, type Kind } from "../../domain/reveal";

const LOW = 0.2;

export interface CreditLine {
  kind: Kind;
  left: number;
  /** The credits that the plan grants each period, or the remaining ones if there are more: add-ons. */
  total: number;
}

export function creditLines(me: Account): CreditLine[] {
  const credits = creditsOf(me);
  const plan = subscriptionOf(me)?.subscriptionplan_by_planid;
  return KINDS.map((kind) => {
    const left = credits?.[CREDIT_OF[kind]] ?? 0;
    return { kind, left, total: Math.max(left, plan?.[CREDIT_OF[kind]] ?? 0) };
  });
}

/** Whether to suggest buying credits: on the free plan, or with less than a fifth left. */
export function needsMore(me: Account): boolean {
  const lines = creditLines(me);
  const sum = (of: (line: CreditLine) => number) => lines.reduce((total, line) => total + of(line), 0);
  return isFreePlan(me) || sum(({ left }) => left) < LOW * sum(({ total }) => total);
}
