/** Credits that are bought once, by card. Also where the bank's page leads back to. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { PackageOpen } from "lucide-react";
import { useState } from "react";
import { Link, Navigate } from "react-router";
import { isFreePlan, isOwner, useAccount } from "../../api/account";
import { addonList } from "../../api/billing";
import { canPay } from "../../api/config";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import type { Plan } from "../../api/types";
import { BackLink } from "../../components/BackLink";
import { Empty } from "../../components/Empty";
import { Problem } from "../../components/Problem";
import { Title } from "../../components/Title";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { t } from "../../lib/i18n.dashboard";
import { AddonCard } from "./AddonCard";
import classes from "./CreditAddons.module.css";
import { PaymentModal } from "./PaymentModal";
import { useBankReturn } from "./useBankReturn";

export function CreditAddonsScreen() {
  const me = useAccount();
  const confirming = useBankReturn();
  if (!isOwner(me)) return <Navigate to="/dashboard/main/dashboardmain" replace />;
  return (
    <>
      <Title text={t("addons.title")} />
      <BackLink to="/dashboard/main/dashboardmain">{t("plans.back")}</BackLink>
      <div className={classes.head}>
        <h1>{t("addons.title")}</h1>
        <p>{t("addons.lead")}</p>
      </div>
      {confirming ? <Empty title={t("addons.confirming")} /> : isFreePlan(me) ? <NoneOnFree /> : <Addons />}
    </>
  );
}

function NoneOnFree() {
  return (
    <section className={classes.box}>
      <Empty
        icon={<PackageOpen size={30} aria-hidden="true" />}
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
  return (
    <>
      {!canPay() && (
        <p className={classes.off} role="status">
          {t("plans.offText")}
        </p>
      )}
      <div className={classes.grid}>
        {list.data.resource.map((plan) => (
          <AddonCard key={plan.planid} plan={plan} onBuy={() => setBuying(plan)} />
        ))}
      </div>
      <PaymentModal plan={buying} onClose={() => setBuying(null)} />
    </>
  );
}

export { CreditAddonsScreen as Component };
