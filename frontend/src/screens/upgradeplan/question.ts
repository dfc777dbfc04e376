/** The confirmation before a change of plan, and its action. */
import { subscriptionOf } from "../../api/account";
import {
  type Preview,
  type Usage,
  cancelPlan,
  changePlan,
  openCheckout,
  overBy,
  previewChange,
  recordDowngrade,
  switchToFree,
  usedLimits,
} from "../../api/billing";
import { ApiError } from "../../api/errors";
import type { Account, Plan } from "../../api/types";
import { t } from "../../lib/i18n.dashboard";
import { redirectTo } from "../../lib/redirect";
import { type Offer, type Rest, canResume, goesOn, isFree, isMadeToMeasure, restOf } from "../../domain/planchange";

export type Question =
  | { kind: "upgrade" | "downgrade" | "resume"; plan: Plan; preview: Preview }
  | { kind: "free"; plan: Plan; rest: Rest | null }
  | { kind: "freelater"; plan: Plan; until: string | null }
  | { kind: "subscribe"; plan: Plan; present: Plan; rest: Rest; keepable: boolean }
  | { kind: "limit"; plan: Plan; over: Usage };

/** The question to ask about a plan; null if the hosted page has been opened instead. */
export async function questionAbout(me: Account, plan: Plan, offer: Offer): Promise<Question | null> {
  const subscription = subscriptionOf(me);
  const resumes = canResume(subscription, plan.planid);
  if (offer !== "current" && !resumes) {
    const over = overBy(plan, await usedLimits());
    if (over.members > 0 || over.apis > 0) return { kind: "limit", plan, over };
  }
  if (isFree(plan) && goesOn(subscription)) return { kind: "freelater", plan, until: subscription.expirydate };
  const present = subscription?.subscriptionplan_by_planid;
  const rest = resumes ? null : restOf(subscription);
  if (isFree(plan)) return { kind: "free", plan, rest };
  if (rest && present) return { kind: "subscribe", plan, present, rest, keepable: !isMadeToMeasure(present) };
  if (offer !== "subscribe" || resumes) {
    const preview = await previewChange(subscription?.subscriptionid, plan.planid, offer === "downgrade");
    const kind = offer === "upgrade" || offer === "downgrade" ? offer : "resume";
    if (preview) return { kind, plan, preview };
  }
  redirectTo(await openCheckout(me, plan.planid));
  return null;
}

/** The question to ask before a cancelled plan is resumed. */
export async function questionAboutKeeping(me: Account, plan: Plan): Promise<Question> {
  const preview = await previewChange(subscriptionOf(me)?.subscriptionid, plan.planid);
  if (!preview) throw new ApiError(409, t("plans.gone"));
  return { kind: "resume", plan, preview };
}

/** Carries out the confirmed change. */
export async function carryOut(me: Account, question: Question): Promise<void> {
  const { planid } = question.plan;
  const subId = subscriptionOf(me)?.subscriptionid;
  if (question.kind === "subscribe") redirectTo(await openCheckout(me, planid));
  if (question.kind === "free") await switchToFree(me, planid, subId);
  if (subId !== undefined && question.kind === "freelater") await cancelPlan(subId);
  if (subId === undefined || !("preview" in question)) return;
  const { kind, preview } = question;
  if (kind === "downgrade") await recordDowngrade(subId, me.clientid, planid, preview.dueon);
  await changePlan(subId, planid, preview.subscription_proration_date);
}

/** The number of seats and keys above the limit, if that is why a change was rejected. */
export function overOf(error: unknown): Usage | null {
  if (!(error instanceof ApiError) || error.reason !== "limit_exceeded") return null;
  return { members: Number(error.context["members_over"] ?? 0), apis: Number(error.context["apis_over"] ?? 0) };
}
