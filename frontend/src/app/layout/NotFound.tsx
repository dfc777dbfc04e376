/** An address that leads nowhere. */
import { Button } from "@mantine/core";
import { Compass } from "lucide-react";
import { Link } from "react-router";
import { Empty } from "../../components/Empty";
import { Title } from "../../components/Title";
import { t } from "../../lib/i18n";

export function NotFound() {
  return (
    <>
      <Title text={t("problem.notFound")} />
      <Empty
        icon={<Compass size={28} aria-hidden="true" />}
        title={<h1>{t("problem.notFound")}</h1>}
        text={t("problem.notFoundText")}
        action={
          <Button component={Link} to="/" variant="default">
            {t("problem.home")}
          </Button>
        }
      />
    </>
  );
}
