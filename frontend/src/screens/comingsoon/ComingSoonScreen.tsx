/** The "Coming soon" page of a menu entry. */
import { Hourglass } from "lucide-react";
import { useLocation } from "react-router";
import { Title } from "../../components/Title";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Outcome } from "../../components/ui/Outcome";
import { t } from "../../lib/i18n.dashboard";

export function ComingSoonScreen() {
  const { pathname } = useLocation();
  const title = t(pathname.includes("peoplesearch") ? "menu.peoplesearch" : "menu.companysearch");
  return (
    <>
      <Title text={title} />
      <Outcome
        tone="waiting"
        icon={<Hourglass size={24} strokeWidth={1.75} aria-hidden="true" />}
        title={`${title}: ${t("comingSoon")}`}
        text={t("menu.soonText")}
        actions={<ButtonLink to="/dashboard/main/search">{t("menu.search")}</ButtonLink>}
      />
    </>
  );
}

export { ComingSoonScreen as Component };
