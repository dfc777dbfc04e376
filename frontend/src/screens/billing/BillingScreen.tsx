/** The company's plan and its invoices. */
import { Page } from "../../components/ui/Page";
import { t } from "../../lib/i18n.dashboard";
import { Invoices } from "./Invoices";
import { PlanBox } from "./PlanBox";

export function BillingScreen() {
  return (
    <Page title={t("settings.billing")}>
      <PlanBox />
      <Invoices />
    </Page>
  );
}

export { BillingScreen as Component };
