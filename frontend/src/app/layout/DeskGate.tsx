/** The guard of the desk: its scripts are loaded for staff only. Other users get the 404 page. */
import { Suspense, lazy } from "react";
import { Navigate } from "react-router";
import { useSession } from "../../stores/session";
import { FrameShape } from "./FrameShape";
import { NotFound } from "./NotFound";

const Desk = lazy(() => import("../../screens/desk/DeskScreen"));

export function DeskGate() {
  const session = useSession();
  if (!session) return <Navigate to="/login" replace />;
  if (!session.staff) return <NotFound />;
  return (
    <Suspense fallback={<FrameShape />}>
      <Desk />
    </Suspense>
  );
}
