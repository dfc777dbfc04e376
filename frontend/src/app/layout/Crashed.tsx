/** The last line: a screen threw while drawing, or its code could not be fetched. */
import { Button } from "@mantine/core";
import { TriangleAlert } from "lucide-react";
import { Outcome } from "../../components/ui/Outcome";
import { t } from "../../lib/i18n";

export function Crashed() {
  return (
    <main id="content">
      <Outcome
        tone="bad"
        icon={<TriangleAlert size={24} strokeWidth={1.75} aria-hidden="true" />}
        title={t("problem.crashed")}
        text={t("problem.crashedText")}
        actions={<Button onClick={() => window.location.reload()}>{t("problem.reload")}</Button>}
      />
    </main>
  );
}
