/**
 * Replaces a screen that could not be fetched, or that threw while rendering. The frame and its links remain.
 */
import { Button } from "@mantine/core";
import { CloudOff, TriangleAlert } from "lucide-react";
import { useEffect } from "react";
import { useRouteError } from "react-router";
import { Outcome } from "../../components/ui/Outcome";
import { t } from "../../lib/i18n";
import { whenBack } from "../../lib/whenback";

// Each browser has its own message for this.
const NOT_FETCHED = /dynamically imported module|importing a module script|unable to preload/i;

/** A page that fails sooner after its load would fail again after a reload. */
const SETTLED_MS = 10_000;

const reload = () => window.location.reload();

export function ScreenFailed() {
  const error = useRouteError();
  return error instanceof Error && NOT_FETCHED.test(error.message) ? <NotFetched /> : <Thrown />;
}

/** The browser caches failed module loads: only a reload requests them again. */
function NotFetched() {
  useEffect(() => {
    window.addEventListener("online", reload);
    const withdraw = performance.now() > SETTLED_MS ? whenBack(reload) : undefined;
    return () => {
      window.removeEventListener("online", reload);
      withdraw?.();
    };
  }, []);
  return (
    <Outcome
      tone="bad"
      icon={<CloudOff size={24} strokeWidth={1.75} aria-hidden="true" />}
      title={navigator.onLine ? t("problem.title") : t("problem.noNetwork")}
      text={t("problem.offline")}
      actions={<Button onClick={reload}>{t("tryAgain")}</Button>}
    />
  );
}

function Thrown() {
  return (
    <Outcome
      tone="bad"
      icon={<TriangleAlert size={24} strokeWidth={1.75} aria-hidden="true" />}
      title={t("problem.crashed")}
      text={t("problem.crashedText")}
      actions={<Button onClick={reload}>{t("problem.reload")}</Button>}
    />
  );
}
