/** The 404 page. */
import { Compass } from "lucide-react";
import { Title } from "../../components/Title";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Outcome } from "../../components/ui/Outcome";
import { t } from "../../lib/i18n";

export function NotFound() {
  return (
    <>
      <Title text={t("problem.notFound")} />
      <Outcome
        tone="waiting"
        icon={<Compass size={24} strokeWidth={1.75} aria-hidden="true" />}
        title={t("problem.notFound")}
        text={t("problem.notFoundText")}
        actions={<ButtonLink to="/">{t("problem.home")}</ButtonLink>}
      />
    </>
  );
}
