/** After the hosted page: waits until the provider's event has brought the plan, which this page itself cannot. */
import { Loader } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleCheckBig, Clock } from "lucide-react";
import { useSearchParams } from "react-router";
import { subscriptionOf, useAccount } from "../../api/account";
import { accountOnce, planList } from "../../api/billing";
import { Outcome } from "../../components/Outcome";
import { Title } from "../../components/Title";
import { t } from "../../lib/i18n";
import { goesOn } from "../../lib/planchange";

export function PaySuccessScreen() {
  const [params] = useSearchParams();
  const present = subscriptionOf(useAccount());
  const planid = Number(params.get("plan")) || present?.planid;
  const plans = useQuery(planList).data?.resource ?? [];
  const queries = useQueryClient();
  const arrived = useQuery({
    queryKey: ["paysuccess", planid],
    queryFn: () => accountOnce(queries, (me) => isOn(planid, subscriptionOf(me))),
    staleTime: Infinity,
  });

  const there = isOn(planid, present);
  const late = !there && arrived.data === false;
  const plan = plans.find((one) => one.planid === planid) ?? present?.subscriptionplan_by_planid;
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
        to="/dashboard/main/dashboardmain"
        action={t("pay.toDashboard")}
      />
    </>
  );
}

const isOn = (planid: number | undefined, one: ReturnType<typeof subscriptionOf>): boolean =>
  goesOn(one) && one.planid === planid;

export { PaySuccessScreen as Component };
