/** What has just been bought: the credits, what they cost, what is there now, and the invoice. */
import { useQuery } from "@tanstack/react-query";
import { creditsOf, useAccount } from "../../api/account";
import { addonList } from "../../api/billing";
import { Banner } from "../../components/ui/Banner";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { planText } from "../../domain/plantexts";
import { t } from "../../lib/i18n.dashboard";
import { numberText } from "../../lib/locale";
import { dollars } from "../../lib/money";

export default function Receipt({ planid }: { planid: number }) {
  const left = creditsOf(useAccount())?.contactcredit ?? 0;
  const plan = useQuery(addonList).data?.resource.find((one) => one.planid === planid);
  if (!plan) return null;
  const action = <ButtonLink to="/dashboard/settings/billing" role="link" size="sm" variant="default">{t("pay.toInvoice")}</ButtonLink>;
  return (
    <Banner tone="accent" title={t("pay.bought", { name: planText(plan.name), price: dollars(plan.price) })} action={action}>
      {t("pay.nowLeft", { left: numberText(left) })}
    </Banner>
  );
}
