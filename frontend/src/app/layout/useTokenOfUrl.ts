/** Exchanges a `session_token` in the address for a session, and first removes it from the address bar. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { toast } from "../../../shared/toasts";
import { account, signInByToken } from "../../api/account";
import { ApiError } from "../../api/errors";
import { explainLeaving } from "../../api/explain";
import { useMutation } from "../../api/mutation";
import { t } from "../../lib/i18n";
import { adoptLanguage } from "../../lib/language";
import { returnState } from "../../lib/returnto";
import { sessionExpired } from "../../stores/session";

/** The token of the first address, taken out of the address bar and of the history. */
function takeToken(): string | null {
  const url = new URL(window.location.href);
  const token = url.searchParams.get("session_token");
  if (token === null) return null;
  url.searchParams.delete("session_token");
  window.history.replaceState(window.history.state, "", url);
  return token;
}

/** Whether a token is still being exchanged. A failure shows a message and leads to the sign-in screen. */
export function useTokenOfUrl(): boolean {
  const [token] = useState(takeToken);
  const [waiting, setWaiting] = useState(token !== null);
  const navigate = useNavigate();
  const place = useLocation();
  const queries = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: signInByToken,
    onSuccess: (found) => {
      queries.setQueryData(account.queryKey, found);
      if (adoptLanguage(found.language)) window.location.reload();
    },
    onError: (error) => {
      sessionExpired();
      toast(error instanceof ApiError ? explainLeaving(error) : t("session.expired"), "bad", 1);
      void navigate("/login", { replace: true, state: returnState(place) });
    },
    onSettled: () => setWaiting(false),
  });

  useEffect(() => {
    if (token !== null) mutate(token);
  }, [token, mutate]);

  return waiting;
}
