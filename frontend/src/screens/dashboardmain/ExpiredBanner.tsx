/** The plan has expired: lists what is paused until there is a new one, and what stays available. */
import { isOwner, useAccount } from "../../api/account";
import { Banner } from "../../components/ui/Banner";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { t } from "../../lib/i18n.dashboard";

export default function ExpiredBanner() {
  const owns = isOwner(useAccount());
  const action = owns && <ButtonLink to="/dashboard/upgradeplan" role="link" size="sm" variant="default">{t("home.expiredPlans")}</ButtonLink>;
  return (
    <Banner tone="warn" title={t("home.expiredTitle")} action={action}>
      {t(owns ? "home.expiredText" : "home.expiredMember")}
    </Banner>
  );
}
