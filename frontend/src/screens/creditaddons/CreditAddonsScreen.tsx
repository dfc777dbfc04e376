/** One-time purchases of credits by card. The bank's page redirects here. */
import { useQuery } from "@tanstack/react-query";
import { PackageOpen } from "lucide-react";
import { useState } from "react";
import { useLocation } from "react-router";
import { isFreePlan, useAccount } from "../../api/account";
import { addonList } from "../../api/billing";
import { canPay, config } from "../../api/config";
import { pace } from "../../api/dashboard";
import { problemOf } from "../../api/explain";
import type { Plan } from "../../api/types";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { Banner } from "../../components/ui/Banner";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Page } from "../../components/ui/Page";
import { cheapest } from "../../domain/addons";
import { t } from "../../lib/i18n.dashboard";
import { AddonRow } from "./AddonRow";
import classes from "./CreditAddons.module.css";
import { useBankReturn } from "./useBankReturn";
import { StripeForm } from "./StripeForm";
import { SandboxForm } from "./SandboxForm";
import { NoCardForm } from "./NoCardForm";
import { planText } from "../../domain/plantexts";
import { useLast } from "../../components/useLast";
import { Dialog } from "../../components/ui/Dialog";

export function CreditAddonsScreen() {
  const me = useAccount();
  const confirming = useBankReturn();
  return (
    <Page title={t("addons.title")} lead={t("addons.lead")} back={{ to: "/dashboard/main/dashboardmain", text: t("plans.back") }} width="form">
      {confirming ? <Empty title={t("addons.confirming")} /> : isFreePlan(me) ? <NoneOnFree /> : <Addons />}
    </Page>
  );
}

function NoneOnFree() {
  return (
    <section className={classes.box}>
      <Empty
        icon={<PackageOpen size={24} strokeWidth={1.75} aria-hidden="true" />}
        title={t("addons.free")}
        text={t("addons.freeText")}
        action={<ButtonLink to="/dashboard/upgradeplan" role="button">{t("menu.viewPlans")}</ButtonLink>}
      />
    </section>
  );
}

function Addons() {
  const list = useQuery(addonList);
  const { data } = useQuery(pace);
  // After a declined card, the add-on that was to be paid.
  const again = (useLocation().state as { planid?: number } | null)?.planid;
  const [chosen, setBuying] = useState<Plan | null | undefined>();
  const buying = chosen === undefined ? (list.data?.resource.find(({ planid }) => planid === again) ?? null) : chosen;

  return (
    <ListState list={list} rows={list.data?.resource} explain={problemOf} skeleton={{ lines: 3 }}>
      {(addons) => (
        <>
          {!canPay() && <Banner tone="warn">{t("plans.offText")}</Banner>}
          <div className={classes.box}>
            {addons.map((plan) => (
              <AddonRow key={plan.planid} plan={plan} best={plan.planid === cheapest(addons)} spent={data?.spent?.contactcredit ?? 0} onBuy={() => setBuying(plan)} />
            ))}
          </div>
          <PaymentModal plan={buying} onClose={() => setBuying(null)} />
        </>
      )}
    </ListState>
  );
}

/** The card form: of Stripe, or of the sandbox in the demo. */
function PaymentModal({ plan, onClose }: { plan: Plan | null; onClose: () => void }) {
  const shown = useLast(plan);
  return (
    <Dialog opened={plan !== null} onClose={onClose} title={shown && planText(shown.name)}>
      {shown && <CardForm plan={shown} onClose={onClose} />}
    </Dialog>
  );
}

function CardForm(props: { plan: Plan; onClose: () => void }) {
  const { demo, stripepublishablekey } = config();
  if (stripepublishablekey) return <StripeForm {...props} />;
  if (demo) return <SandboxForm {...props} />;
  return <NoCardForm onClose={props.onClose} />;
}

export { CreditAddonsScreen as Component };
