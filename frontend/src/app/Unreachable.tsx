/** The page shown if the server's settings cannot be loaded: the frame, the reason, and a retry every few seconds. */
import { Button, MantineProvider } from "@mantine/core";
import { CloudOff } from "lucide-react";
import { useEffect } from "react";
import { Outcome } from "../components/ui/Outcome";
import { t } from "../lib/i18n";
import { schemeManager } from "./scheme";
import { cssVariables, theme } from "./theme";

const AGAIN_MS = 5000;

export function Unreachable({ retry }: { retry: () => unknown }) {
  const online = navigator.onLine;
  useEffect(() => {
    const again = () => void retry();
    const timer = setInterval(again, AGAIN_MS);
    window.addEventListener("online", again);
    return () => {
      clearInterval(timer);
      window.removeEventListener("online", again);
    };
  }, [retry]);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
    >
      <div className="frame-shape unreachable">
        <main>
          <Outcome
            tone="bad"
            icon={<CloudOff size={24} strokeWidth={1.75} aria-hidden="true" />}
            title={online ? t("problem.title") : t("problem.noNetwork")}
            text={online ? t("problem.server") : t("problem.offline")}
            actions={<Button onClick={() => void retry()}>{t("tryAgain")}</Button>}
          />
        </main>
      </div>
    </MantineProvider>
  );
}
