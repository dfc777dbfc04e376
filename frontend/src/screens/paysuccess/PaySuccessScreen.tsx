/** After a payment: what was paid, what it brought, and the invoice. After the hosted page, waits until the provider's event has activated the plan, which this page cannot do itself. */
import { Loader } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleCheckBig, CircleHelp, Clock } from "lucide-react";
import type { ReactNode } from "react";
import { useLocation, useSearchParams } from "react-router";
import { isOwner, subscriptionOf, useAccount } from "../../api/account";
import { type CheckoutOutcome, accountOnce, checkoutOutcome, planList } from "../../api/billing";
import { Title } from "../../components/Title";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Outcome } from "../../components/ui/Outcome";
import { type TextKey, t } from "../../lib/i18n.dashboard";
import { goesOn } from "../../domain/planchange";
import { CREDIT_OF, KINDS } from "../../domain/reveal";
import { isMonthly } from "../../domain/subscription";
import { dayText } from "../../lib/dates";
import { numberText } from "../../lib/locale";
import { cents, dollars } from "../../lib/money";
import type { Plan } from "../../api/types";
import { InvoiceButton } from "./InvoiceButton";
import { NextSteps } from "./NextSteps";

export function PaySuccessScreen() {
  const [params] = useSearchParams();
  const owner = isOwner(useAccount());
  const { receipt } = (useLocation().state ?? {}) as { receipt?: Receipt };
  const asked = owner ? (params.get("session_id") ?? "") : "";
  const found = useQuery({ ...checkoutOutcome(asked), enabled: asked !== "" });
  if (owner && receipt) return <Paid outcome={{ planid: receipt.planid, settled: 0 }} receipt={receipt} />;
  if (asked !== "" && found.isPending) return <Loader size="sm" aria-label={t("loading")} />;
  const outcome = found.data;
  // Only a paid page of this account activates a plan.
  if (outcome?.status !== "complete") return <Neutral title="pay.noneTitle" text="pay.noneText" to={owner ? "/dashboard/upgradeplan" : HOME} />;
  return <Paid outcome={outcome} />;
}

/** An upgrade that was paid in the app, in the smallest unit of the currency. */
export interface Receipt {
  planid: number;
  total: number;
  currency: string;
}

const HOME = "/dashboard/main/dashboardmain";

function Paid({ outcome: { planid, settled }, receipt }: { outcome: Pick<CheckoutOutcome, "planid" | "settled">; receipt?: Receipt }) {
  const present = subscriptionOf(useAccount());
  const plans = useQuery(planList).data?.resource ?? [];
  const queries = useQueryClient();
  const arrived = useQuery({
    queryKey: ["paysuccess", planid],
    queryFn: () => accountOnce(queries, (me) => isOn(planid, subscriptionOf(me))),
    staleTime: Infinity,
  });

  const there = isOn(planid, present);
  const late = !there && arrived.data === false;
  if (late && settled) return <Neutral title="pay.doneTitle" text="pay.doneText" to={HOME} />;
  const plan = plans.find((one) => one.planid === planid);
  const name = plan?.name.toLowerCase() ?? t("pay.your");
  const title = t(there ? "pay.successTitle" : "pay.waitingTitle", { name });
  return (
    <>
      <Title text={title} />
      <Outcome
        tone={there ? "good" : "waiting"}
        icon={there ? <CircleCheckBig size={24} strokeWidth={1.75} aria-hidden="true" /> : late ? <Clock size={24} strokeWidth={1.75} aria-hidden="true" /> : <Loader size="sm" />}
        title={title}
        text={t(there ? "pay.successText" : late ? "pay.lateText" : "pay.waitingText")}
        facts={there && plan && present ? factsOf(plan, present.expirydate, receipt) : []}
        actions={<Ways to={HOME} billing={there} />}
      >
        {there && <NextSteps />}
      </Outcome>
    </>
  );
}

function Neutral({ title, text, to }: { title: TextKey; text: TextKey; to: string }) {
  return (
    <>
      <Title text={t(title)} />
      <Outcome
        tone="waiting"
        icon={<CircleHelp size={24} strokeWidth={1.75} aria-hidden="true" />}
        title={t(title)}
        text={t(text)}
        actions={<Ways to={to} />}
      />
    </>
  );
}

/** The purchase: the plan, its price, when it renews, and the credits per period. */
function factsOf(plan: Plan, expirydate: string | null, receipt: Receipt | undefined): [string, ReactNode][] {
  const price = `${dollars(plan.price)} ${isMonthly(plan) ? t("plan.perMonth") : t("plan.perYear")}`;
  return [
    [t("billing.plan"), plan.name],
    ...(receipt ? [[t("pay.today"), cents(Math.max(0, receipt.total), receipt.currency)] as [string, string]] : []),
    [t(receipt ? "pay.later" : "billing.amount"), price],
    [t("billing.number"), <InvoiceButton key="invoice" />],
    [t("pay.renews"), dayText(expirydate)],
    ...KINDS.map((kind): [string, string] => [t("pay.creditsOf", { kind: t(`kind.${kind}`) }), creditText(plan[CREDIT_OF[kind]])]),
  ];
}

const creditText = (count: number): string => (count < 0 ? "∞" : numberText(count));

function Ways({ to, billing = false }: { to: string; billing?: boolean }) {
  return (
    <>
      <ButtonLink to={to} role="button">{t(to === HOME ? "pay.toDashboard" : "pay.toPlans")}</ButtonLink>
      {billing && <ButtonLink to="/dashboard/settings/billing" role="button" variant="default">{t("pay.toInvoice")}</ButtonLink>}
    </>
  );
}

const isOn = (planid: number | undefined, one: ReturnType<typeof subscriptionOf>): boolean =>
  goesOn(one) && one.planid === planid;

export { PaySuccessScreen as Component };
