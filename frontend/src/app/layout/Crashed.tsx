/** The last line: a screen threw while drawing, or its code could not be fetched. */
import { Button } from "@mantine/core";
import { TriangleAlert } from "lucide-react";
import { Empty } from "../../components/Empty";
import { t } from "../../lib/i18n";

export function Crashed() {
  return (
    <main id="content">
      <Empty
        icon={<TriangleAlert size={28} aria-hidden="true" />}
        title={t("problem.crashed")}
        text={t("problem.crashedText")}
        action={<Button onClick={() => window.location.reload()}>{t("problem.reload")}</Button>}
      />
    </main>
  );
}
