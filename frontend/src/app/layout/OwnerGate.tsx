/** Guards the screens reserved for an account's owner. Members see an explanation in the frame of the app. */
import { Lock } from "lucide-react";
import { Outlet } from "react-router";
import { isOwner, useAccount } from "../../api/account";
import { Title } from "../../components/Title";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Outcome } from "../../components/ui/Outcome";
import { t } from "../../lib/i18n.dashboard";

export function OwnerGate() {
  if (isOwner(useAccount())) return <Outlet />;
  return (
    <>
      <Title text={t("ownerOnly.title")} />
      <Outcome
        tone="waiting"
        icon={<Lock size={24} strokeWidth={1.75} aria-hidden="true" />}
        title={t("ownerOnly.title")}
        text={t("ownerOnly.text")}
        actions={<ButtonLink to="/dashboard/main/dashboardmain">{t("ownerOnly.home")}</ButtonLink>}
      />
    </>
  );
}

export { OwnerGate as Component };
