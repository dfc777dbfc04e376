/** Signing in with a provider: opens its window, then leads to the dashboard or to the second step of signing up. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useNavigate } from "react-router";
import { account } from "../../api/account";
import { ApiError } from "../../api/errors";
import { runScript } from "../../api/scripts";
import { ProviderRefused, type Vendor, enterBy } from "../../api/social";
import { t } from "../../lib/i18n";
import { openPopup } from "../../lib/popup";
import { toast } from "../../stores/toasts";
import { HOME, REFUSALS } from "./outcome";

export function useSocial() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const waiting = useRef<AbortController | null>(null);
  useEffect(() => () => waiting.current?.abort(), []);

  const enter = useMutation({
    mutationFn: ({ vendor, popup, signal }: { vendor: Vendor; popup: Window; signal: AbortSignal }) =>
      enterBy(vendor, popup, signal).finally(() => popup.close()),
    onSuccess: async (entered) => {
      if (entered.action === "login") {
        queries.setQueryData(account.queryKey, entered.account);
        return navigate(HOME, { replace: true });
      }
      // The welcome mail is a kindness: without it the way on is open all the same.
      await runScript("registration_confirmation", { appuserid: entered.user.appuserid }).catch(() => undefined);
      return navigate("/tellusmore", { replace: true });
    },
    onError: (error, { vendor, signal }) => {
      if (!signal.aborted) toast(reasonOf(error, vendor), "bad", 1);
    },
  });

  return (vendor: Vendor) => {
    waiting.current?.abort();
    waiting.current = new AbortController();
    const popup = openPopup();
    if (popup) enter.mutate({ vendor, popup, signal: waiting.current.signal });
    else toast(t("login.popupBlocked"), "bad", 1);
  };
}

function reasonOf(error: unknown, vendor: Vendor): string {
  if (error instanceof ApiError && REFUSALS[error.code]) return REFUSALS[error.code]!;
  if (error instanceof ApiError && error.status === 422) return t("register.businessOnly");
  const text = error instanceof ProviderRefused ? t("login.socialFailed") : t("somethingWrong");
  return vendor === "linkedin" ? text + t("login.socialRetry") : text;
}
