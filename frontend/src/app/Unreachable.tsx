/** The page when not even the settings of the server could be read. */
import { Button, MantineProvider } from "@mantine/core";
import { CloudOff } from "lucide-react";
import { Outcome } from "../components/ui/Outcome";
import { t } from "../lib/i18n";
import { schemeManager } from "./scheme";
import { cssVariables, theme } from "./theme";

export function Unreachable({ retry }: { retry: () => unknown }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
    >
      <main>
        <Outcome
          tone="bad"
          icon={<CloudOff size={24} strokeWidth={1.75} aria-hidden="true" />}
          title={navigator.onLine ? t("problem.title") : t("problem.noNetwork")}
          text={t("problem.offline")}
          actions={<Button onClick={() => void retry()}>{t("tryAgain")}</Button>}
        />
      </main>
    </MantineProvider>
  );
}
