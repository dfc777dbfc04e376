/** The guard and the frame of everything behind sign-in. */
import { Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Navigate, Outlet } from "react-router";
import { account } from "../../api/account";
import { config } from "../../api/config";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { Problem } from "../../components/Problem";
import { t } from "../../lib/i18n";
import { useSession } from "../../stores/session";
import classes from "./Dashboard.module.css";
import { DemoBanner } from "./DemoBanner";
import { Header } from "./Header";
import { Sidebar } from "./Sidebar";
import { useTokenOfUrl } from "./useTokenOfUrl";

export function Dashboard() {
  const exchanging = useTokenOfUrl();
  const session = useSession();

  if (exchanging) return <Waiting />;
  if (!session) return <Navigate to="/login" replace />;
  return <Frame key={session.emailid} />;
}

function Frame() {
  const found = useQuery(account);

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
