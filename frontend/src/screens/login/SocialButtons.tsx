/** Sign-in with Google or LinkedIn. A provider that this server is not set up for is shown, but disabled. */
import { Button } from "@mantine/core";
import { type ReactNode, Suspense, lazy } from "react";
import { config } from "../../api/config";
import type { Vendor } from "../../api/social";
import { t } from "../../lib/i18n";
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

/** The marks of the sign-in providers. */

function GoogleMark() {
  return (
    <svg width="16" height="16" viewBox="0 0 48 48" aria-hidden="true">
      <path fill="#4285F4" d="M46.1 24.5c0-1.6-.1-3.1-.4-4.5H24v8.5h12.4a10.6 10.6 0 0 1-4.6 7v5.7h7.4c4.3-4 6.9-9.900 6.9-16.700z" />
      <path fill="#34A853" d="M24 47c6.200 0 11.400-2 15.200-5.600l-7.400-5.700c-2 1.400-4.700 2.200-7.800 2.200-6 0-11-4-12.900-9.500H3.500v5.900A23 23 0 0 0 24 47z" />
      <path fill="#FBBC05" d="M11.100 28.400a13.800 13.800 0 0 1 0-8.800v-5.900H3.500a23 23 0 0 0 0 20.600l7.600-5.900z" />
      <path fill="#EA4335" d="M24 10.100c3.400 0 6.400 1.200 8.800 3.400l6.500-6.500A23 23 0 0 0 3.500 13.700l7.600 5.900C13 14.100 18 10.100 24 10.100z" />
    </svg>
  );
}

function LinkedInMark() {
  return (
    <svg width="16" height="16" viewBox="0 0 24 24" aria-hidden="true">
      <path
        fill="#0A66C2"
        d="M20.400 0H3.600A3.600 3.600 0 0 0 0 3.600v16.800A3.600 3.600 0 0 0 3.600 24h16.800a3.600 3.600 0 0 0 3.600-3.600V3.600A3.600 3.600 0 0 0 20.400 0zM7.300 20.200H3.700V9.100h3.600v11.100zM5.500 7.600a2.100 2.100 0 1 1 0-4.200 2.100 2.100 0 0 1 0 4.200zm14.800 12.600h-3.600v-5.400c0-1.300 0-3-1.800-3s-2.100 1.400-2.100 2.900v5.500H9.200V9.100h3.400v1.500h.1c.5-.9 1.700-1.900 3.400-1.900 3.700 0 4.300 2.400 4.300 5.600v5.900z"
      />
    </svg>
  );
}
