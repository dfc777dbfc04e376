/** The plan has expired: lists what is paused until there is a new one, and what stays available. */
import { Button } from "@mantine/core";
import { Link } from "react-router";
import { isOwner, useAccount } from "../../api/account";
import { Banner } from "../../components/ui/Banner";
import { t } from "../../lib/i18n.dashboard";

export default function ExpiredBanner() {
  const owns = isOwner(useAccount());
  const action = owns && (
    <Button component={Link} to="/dashboard/upgradeplan" role="link" size="sm" variant="default">
      {t("home.expiredPlans")}
    </Button>
  );
  return (
    <Banner tone="warn" title={t("home.expiredTitle")} action={action}>
      {t(owns ? "home.expiredText" : "home.expiredMember")}
    </Banner>
  );
}
