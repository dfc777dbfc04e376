/** Why nothing can be revealed now, and how to change that. */
import { Box } from "@mantine/core";
import { creditsOf, isOwner, useAccount } from "../../api/account";
import { Banner } from "../../components/ui/Banner";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { t } from "../../lib/i18n.dashboard";

export function hasNoCredit(me: Parameters<typeof creditsOf>[0]): boolean {
  const credits = creditsOf(me);
  return !credits || credits.contactcredit + credits.bus_email_credits + credits.personal_email_credits === 0;
}

export function Exhausted({ title }: { title: string }) {
  const owns = isOwner(useAccount());
  return (
    <Box pt={0} px="var(--pad-card)" pb="md">
      <Banner
        tone="warn"
        title={title}
        action={
          owns && <ButtonLink to="/dashboard/upgradeplan" role="button" size="sm">{t("search.upgradePlan")}</ButtonLink>
        }
      >
        {owns ? t("search.exhaustedText") : t("search.askOwner")}
      </Banner>
    </Box>
  );
}
