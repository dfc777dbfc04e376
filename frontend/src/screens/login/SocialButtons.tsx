/** Sign-in with Google or LinkedIn. A provider that this server is not set up for is shown, but disabled. */
import { Button } from "@mantine/core";
import { type ReactNode, Suspense, lazy } from "react";
import { config } from "../../api/config";
import type { Vendor } from "../../api/social";
import { t } from "../../lib/i18n";
import { GoogleMark, LinkedInMark } from "./marks";
import classes from "./Login.module.css";
import type { useSocial } from "./useSocial";

// Few people sign up this way, so the dialog is loaded only for them.
const TermsDialog = lazy(() => import("./TermsDialog"));

export function SocialButtons({ social, onStart }: { social: ReturnType<typeof useSocial>; onStart: () => void }) {
  const { googleenabled, linkedinenabled } = config();
  const { cancel, newcomer, accept, isEntering } = social;
  const start = (vendor: Vendor) => {
    onStart();
    social.start(vendor);
  };
  return (
    <div className={classes.social}>
      <SocialButton label={t("login.google")} mark={<GoogleMark />} enabled={googleenabled} onClick={() => start("google")} />
      <SocialButton label={t("login.linkedin")} mark={<LinkedInMark />} enabled={linkedinenabled} onClick={() => start("linkedin")} />
      {newcomer && (
        <Suspense fallback={null}>
          <TermsDialog email={newcomer.proof.email} busy={isEntering} onClose={cancel} onAccept={() => accept(newcomer)} />
        </Suspense>
      )}
    </div>
  );
}

interface Props {
  label: string;
  mark: ReactNode;
  enabled: boolean;
  onClick: () => void;
}

// No Mantine tooltip here: its positioning engine alone would weigh more than the rest of this screen.
function SocialButton({ label, mark, enabled, onClick }: Props) {
  return (
    <Button variant="default" px="sm" leftSection={mark} disabled={!enabled} onClick={onClick} title={enabled ? undefined : t("login.socialOff")}>
      {label}
    </Button>
  );
}
