/** After the hosted page: waits until the provider's event has brought the plan, which this page itself cannot. */
import { Loader } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleCheckBig, CircleHelp, Clock } from "lucide-react";
import { useSearchParams } from "react-router";
import { isOwner, subscriptionOf, useAccount } from "../../api/account";
import { type CheckoutOutcome, accountOnce, checkoutOutcome, planList } from "../../api/billing";
import { Outcome } from "../../components/Outcome";
import { Title } from "../../components/Title";
import { type TextKey, t } from "../../lib/i18n.dashboard";
import { goesOn } from "../../domain/planchange";

export function PaySuccessScreen() {
  const [params] = useSearchParams();
  const owner = isOwner(useAccount());
  const asked = owner ? (params.get("session_id") ?? "") : "";
  const found = useQuery({ ...checkoutOutcome(asked), enabled: asked !== "" });
  if (asked !== "" && found.isPending) return <Loader size="sm" aria-label={t("loading")} />;
  const outcome = found.data;
  // Only a page of this account that was paid has brought a plan.
  if (outcome?.status !== "complete") return <Neutral title="pay.noneTitle" text="pay.noneText" to={owner ? "/dashboard/upgradeplan" : HOME} />;
  return <Paid outcome={outcome} />;
}

const HOME = "/dashboard/main/dashboardmain";

function Paid({ outcome: { planid, settled } }: { outcome: CheckoutOutcome }) {
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
        icon={there ? <CircleCheckBig size={34} aria-hidden="true" /> : late ? <Clock size={32} aria-hidden="true" /> : <Loader size="sm" />}
        title={title}
        text={t(there ? "pay.successText" : late ? "pay.lateText" : "pay.waitingText")}
        to={HOME}
        action={t("pay.toDashboard")}
      />
    </>
  );
}

function Neutral({ title, text, to }: { title: TextKey; text: TextKey; to: string }) {
  return (
    <>
      <Title text={t(title)} />
      <Outcome
        tone="waiting"
        icon={<CircleHelp size={32} aria-hidden="true" />}
        title={t(title)}
        text={t(text)}
        to={to}
        action={t(to === HOME ? "pay.toDashboard" : "pay.toPlans")}
      />
    </>
  );
}

const isOn = (planid: number | undefined, one: ReturnType<typeof subscriptionOf>): boolean =>
  goesOn(one) && one.planid === planid;

export { PaySuccessScreen as Component };
