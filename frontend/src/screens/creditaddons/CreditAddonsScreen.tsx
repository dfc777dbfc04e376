/** Credits that are bought once, by card. Also where the bank's page leads back to. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { PackageOpen } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { isFreePlan, useAccount } from "../../api/account";
import { addonList } from "../../api/billing";
import { canPay } from "../../api/config";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import type { Plan } from "../../api/types";
import { Empty } from "../../components/Empty";
import { Problem } from "../../components/Problem";
import { Banner } from "../../components/ui/Banner";
import { Page } from "../../components/ui/Page";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { cheapest } from "../../domain/addons";
import { t } from "../../lib/i18n.dashboard";
import { AddonRow } from "./AddonRow";
import classes from "./CreditAddons.module.css";
import { PaymentModal } from "./PaymentModal";
import { useBankReturn } from "./useBankReturn";

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
        action={
          <Button component={Link} to="/dashboard/upgradeplan" role="button">
            {t("menu.viewPlans")}
          </Button>
        }
      />
    </section>
  );
}

function Addons() {
  const list = useQuery(addonList);
  const [buying, setBuying] = useState<Plan | null>(null);

  if (list.isPending) return <TableSkeleton label={t("loading")} lines={3} />;
  if (list.isError) {
    const requestId = list.error instanceof ApiError ? list.error.requestId : undefined;
    return <Problem text={explain(list.error)} requestId={requestId} retry={list.refetch} />;
  }
  if (list.data.resource.length === 0) return <Empty title={t("noDataFound")} />;
  const best = cheapest(list.data.resource);
  return (
    <>
      {!canPay() && <Banner tone="warn">{t("plans.offText")}</Banner>}
      <div className={classes.box}>
        {list.data.resource.map((plan) => (
          <AddonRow key={plan.planid} plan={plan} best={plan.planid === best} onBuy={() => setBuying(plan)} />
        ))}
      </div>
      <PaymentModal plan={buying} onClose={() => setBuying(null)} />
    </>
  );
}

export { CreditAddonsScreen as Component };
