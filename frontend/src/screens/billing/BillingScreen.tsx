/** What the company pays: its plan, and its invoices. */
import { Navigate } from "react-router";
import { isOwner, useAccount } from "../../api/account";
import { Title } from "../../components/Title";
import { t } from "../../lib/i18n.dashboard";
import { Invoices } from "./Invoices";
import { PlanBox } from "./PlanBox";

export function BillingScreen() {
  if (!isOwner(useAccount())) return <Navigate to="/dashboard/settings/myaccount" replace />;
  return (
    <>
      <Title text={t("settings.billing")} />
      <PlanBox />
      <Invoices />
    </>
  );
}

export { BillingScreen as Component };
