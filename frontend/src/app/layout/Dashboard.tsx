/** The guard and the frame of everything behind sign-in. The frame is drawn before anything has been loaded. */
import { Stack } from "@mantine/core";
import { useDisclosure, useLocalStorage } from "@mantine/hooks";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Suspense, lazy, useEffect } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { toast } from "../../../shared/toasts";
import { account, useMaybeAccount } from "../../api/account";
import { config } from "../../api/config";
import { problemOf } from "../../api/explain";
import type { Account } from "../../api/types";
import { Problem } from "../../components/Problem";
import { CHANGE_PASSWORD, returnState } from "../../lib/returnto";
import { t } from "../../lib/i18n";
import { sessionEnded, useSession, wasEnded } from "../../stores/session";
import { unverifiedLeft, useUnverified } from "../../stores/unverified";
import { screenOf } from "../screenof";
import classes from "./Dashboard.module.css";
import { DemoBanner } from "./DemoBanner";
import { Header } from "./Header";
import { ScreenSkeleton } from "./ScreenSkeleton";
import { Sidebar } from "./Sidebar";
import { useChanges } from "./useChanges";
import { useShortcuts } from "./useShortcuts";
import { useTokenOfUrl } from "./useTokenOfUrl";

const Palette = lazy(() => import("./Palette"));
const SupportBanner = lazy(() => import("./SupportBanner"));
const Shortcuts = lazy(() => import("./Shortcuts"));

const WIDE = 1280;

export function Dashboard() {
  const exchanging = useTokenOfUrl();
  const session = useSession();

  if (exchanging) return <Shell>{<ScreenSkeleton />}</Shell>;
  if (!session) return <ToSignIn />;
  if (session.staff) return <Navigate to="/desk" replace />;
  // Another user starts with a fresh tree; a changed address or password does not.
  return <Frame key={session.signinid} />;
}

/** Redirects to the sign-in, which returns to this address unless the session was ended on purpose. */
function ToSignIn() {
  const place = useLocation();
  return <Navigate to="/login" replace state={wasEnded() ? null : returnState(place)} />;
}

function Frame() {
  const found = useQuery(account);
  const { pathname } = useLocation();
  const isVerified = Boolean(found.data?.isverified);
  useChanges(isVerified && !found.data?.mustchangepassword);
  useEffect(() => {
    if (isVerified) unverifiedLeft();
  }, [isVerified]);

  if (found.data && !found.data.isverified) return <Unconfirmed email={found.data.email} />;
  // Until then the server rejects all other requests; the screen explains why.
  if (found.data?.mustchangepassword && pathname !== CHANGE_PASSWORD) return <Navigate to={CHANGE_PASSWORD} replace />;
  return (
    <Shell>
      <Screen found={found} />
    </Shell>
  );
}

/** Sends a new account to the verification page, and signs out any other unverified user. */
function Unconfirmed({ email }: { email: string }) {
  const isSigningUp = useUnverified()?.email === email;
  useEffect(() => {
    if (isSigningUp) return;
    sessionEnded();
    toast(t("session.unverified"), "bad", 1);
  }, [isSigningUp]);
  return isSigningUp ? <Navigate to="/verifyemail" replace /> : null;
}

function Screen({ found }: { found: UseQueryResult<Account> }) {
  if (found.data) return <Outlet />;
  if (found.isPending) return <ScreenSkeleton />;
  return <Problem {...problemOf(found.error)} retry={found.refetch} />;
}

function Shell({ children }: { children: React.ReactNode }) {
  const { pathname } = useLocation();
  const [collapsed, setCollapsed] = useLocalStorage({ key: "sidebar", defaultValue: window.innerWidth < WIDE, getInitialValueInEffect: false });
  const [palette, openPalette] = useDisclosure();
  const [shortcuts, openShortcuts] = useDisclosure();
  const looking = useMaybeAccount()?.support;
  useShortcuts(openPalette.open, openShortcuts.open);
  return (
    <div className={classes.frame} data-collapsed={collapsed || undefined}>
      <Sidebar collapsed={collapsed} onToggle={() => setCollapsed(!collapsed)} />
      <Stack gap={0} miw={0}>
        {config().demo && <DemoBanner />}
        {looking && (
          <Suspense>
            <SupportBanner />
          </Suspense>
        )}
        <Header onPalette={openPalette.open} onShortcuts={openShortcuts.open} />
        <main id="content" tabIndex={-1} className={classes.content}>
          <div key={screenOf(pathname)} className={`screen ${classes.screen}`}>
            {children}
          </div>
        </main>
      </Stack>
      <Suspense>
        {palette && <Palette onClose={openPalette.close} onShortcuts={openShortcuts.open} />}
        {shortcuts && <Shortcuts onClose={openShortcuts.close} />}
      </Suspense>
    </div>
  );
}

export { Dashboard as Component };
