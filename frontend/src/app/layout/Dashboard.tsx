/** The guard and the frame of everything behind sign-in. */
import { Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Navigate, Outlet, useLocation } from "react-router";
import { account } from "../../api/account";
import { config } from "../../api/config";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { Problem } from "../../components/Problem";
import { t } from "../../lib/i18n";
import { CHANGE_PASSWORD, wantedState } from "../../lib/wanted";
import { useSession, wasEnded } from "../../stores/session";
import classes from "./Dashboard.module.css";
import { DemoBanner } from "./DemoBanner";
import { Header } from "./Header";
import { Sidebar } from "./Sidebar";
import { useTokenOfUrl } from "./useTokenOfUrl";

export function Dashboard() {
  const exchanging = useTokenOfUrl();
  const session = useSession();

  if (exchanging) return <Waiting />;
  if (!session) return <ToSignIn />;
  // Another sign-in starts afresh; a changed address or password does not.
  return <Frame key={session.signinid ?? session.emailid} />;
}

/** Leads to the sign-in, which comes back to this address unless the session was ended on purpose. */
function ToSignIn() {
  const place = useLocation();
  return <Navigate to="/login" replace state={wasEnded() ? null : wantedState(place)} />;
}

function Frame() {
  const found = useQuery(account);
  const { pathname } = useLocation();

  if (found.isPending) return <Waiting />;
  if (found.isError && !found.data) {
    const requestId = found.error instanceof ApiError ? found.error.requestId : undefined;
    return (
      <main id="content">
        <Problem text={explain(found.error)} requestId={requestId} retry={found.refetch} />
      </main>
    );
  }
  if (!found.data.isverified) return <Navigate to="/verifyemail" replace />;
  // The server answers nothing else before; the screen says why.
  if (found.data.mustchangepassword && pathname !== CHANGE_PASSWORD) return <Navigate to={CHANGE_PASSWORD} replace />;
  return (
    <div className={classes.frame}>
      <Sidebar />
      <div className={classes.side}>
        {config().demo && <DemoBanner />}
        <Header />
        <main id="content" tabIndex={-1} className={`screen ${classes.content}`}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}

function Waiting() {
  return (
    <div className={classes.waiting} role="status" aria-label={t("loading")}>
      <Loader />
    </div>
  );
}

export { Dashboard as Component };
