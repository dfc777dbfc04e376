/** The frame: sign-in, databases and the open page. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { X } from "lucide-react";
import { ApiError } from "../api/client";
import { useCredentials } from "../api/credentials";
import { datasets } from "../api/queries";
import { go, hrefOf, useAddress } from "../lib/address";
import { Button, Problem, Waiting } from "../ui";
import { Shell } from "./Shell";
import { SignIn } from "./SignIn";
import { T } from "../texts";
import { toastClosed, toastHeld, toastUndone, useToasts } from "../../shared/toasts";

export function App() {
  const { key, session } = useCredentials();
  const address = useAddress();
  const served = useQuery({ ...datasets(), queryKey: ["datasets", key, session] });
  const [first] = served.data ?? [];

  useEffect(() => {
    if (!address.dataset && first) go(hrefOf(first), { replace: true });
  }, [address.dataset, first]);

  if (served.isPending) return <main className="alone"><Waiting /></main>;
  if (served.isError) {
    if (served.error instanceof ApiError && (served.error.status === 401 || served.error.status === 403)) return <SignIn error={served.error} />;
    return <main className="alone"><Problem error={served.error} retry={() => void served.refetch()} /></main>;
  }
  // A valid key may grant nothing without a session.
  if (served.data.length === 0) return <SignIn error={null} />;
  return (
    <>
      <Shell datasets={served.data} address={address} />
      <Toasts />
    </>
  );
}

/** Draws the messages of shared/toasts at the foot of the page. */
function Toasts() {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {useToasts().map(({ id, text, tone, undoable }) => (
        <div key={id} className={`toast ${tone === "bad" ? "error" : ""}`} onPointerEnter={() => toastHeld(id, true)} onPointerLeave={() => toastHeld(id, false)}>
          <span>{text}</span>
          {undoable && <Button tone="ghost" onClick={() => toastUndone(id)}>{T.undo}</Button>}
          <Button tone="ghost" icon={X} aria-label={T.close} onClick={() => toastClosed(id)} />
        </div>
      ))}
    </div>
  );
}
