/** The page to which a provider redirects its window. It passes the response on and closes itself. If the browser does
 not allow that, it explains how to continue. */
import { Box, Group, Loader, Stack } from "@mantine/core";
import { Link2Off } from "lucide-react";
import { useEffect, useState } from "react";
import { config } from "../../api/config";
import { Title } from "../../components/Title";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Logo } from "../../components/ui/Logo";
import { Outcome } from "../../components/ui/Outcome";
import { t } from "../../lib/i18n";
import { answerFromPopup } from "../../lib/popup";

/** If closing is allowed, the window is gone by then. */
const CLOSED_MS = 1500;

export function SocialCallbackScreen() {
  const [isLeft, setLeft] = useState(false);
  useEffect(() => {
    answerFromPopup(window.location.search);
    const timer = setTimeout(() => setLeft(true), CLOSED_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Stack component="main" id="content" align="center" justify="center" gap="xl" mih="100dvh" p="md">
      <Title text={t("login.title")} />
      <Logo name={config().brandname} badge={t("beta")} />
      {isLeft ? (
        <Outcome
          tone="waiting"
          icon={<Link2Off size={24} strokeWidth={1.75} aria-hidden="true" />}
          title={t("login.notFinished")}
          text={t("login.notFinishedText")}
          actions={<ButtonLink to="/login" role="button">{t("verification.goToLogin")}</ButtonLink>}
        />
      ) : (
        <Group role="status" wrap="nowrap" gap="sm">
          <Loader size="sm" />
          <Box component="h1" fz="md" fw="var(--fw-400)" lts={0} lh="md">{t("login.finishing")}</Box>
        </Group>
      )}
    </Stack>
  );
}

export { SocialCallbackScreen as Component };
