/** Signing in with a provider: opens its window, asks new users to accept the terms, then redirects. */
import { useEffect, useRef } from "react";
import { useNavigate } from "react-router";
import { ApiError, NotBusiness, ProviderRejected } from "../../api/errors";
import { fieldErrors } from "../../api/explain";
import { useMutation } from "../../api/mutation";
import type { SocialProof } from "../../api/scripts";
import type { Vendor } from "../../api/social";
import { t } from "../../lib/i18n";
import { openPopup } from "../../lib/openpopup";
import { ERRORS } from "./outcome";
import { useSignedIn } from "./useSignedIn";

// Fetched when a button is pressed: the sign-in screen is the first one that is loaded.
const social = () => import("../../api/social");

/** The browser blocked the window. */
class PopupBlocked extends Error {}

export interface Proved {
  vendor: Vendor;
  proof: SocialProof;
}

/** `onSecondStep` gets the ticket for the second step of an account that asks for a code. */
export function useSocial(onSecondStep: (mfatoken: string) => void) {
  const signedIn = useSignedIn();
  const navigate = useNavigate();
  const waiting = useRef<AbortController | null>(null);
  useEffect(() => () => waiting.current?.abort(), []);

  const enter = useMutation({
    mutationFn: async ({ proof, terms }: Proved & { terms: boolean }) => (await social()).enterWith(proof, terms),
    onSuccess: (entered) => {
      if (entered.action === "login") return signedIn(entered.account);
      return navigate("/tellusmore", { replace: true });
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 804) onSecondStep(String(error.context["mfatoken"]));
    },
  });
  const prove = useMutation({
    mutationFn: async ({ vendor, popup, signal }: { vendor: Vendor; popup: Window | null; signal: AbortSignal }) => {
      if (!popup) throw new PopupBlocked();
      try {
        return await (await social()).proofOf(vendor, popup, signal);
      } finally {
        popup.close();
      }
    },
    onSuccess: (proof, { vendor }) => {
      if (proof.action === "login") enter.mutate({ vendor, proof, terms: false });
    },
  });

  const start = (vendor: Vendor) => {
    cancel();
    waiting.current = new AbortController();
    // At once: browsers open windows only during the click.
    prove.mutate({ vendor, popup: openPopup(), signal: waiting.current.signal });
  };
  const cancel = () => {
    waiting.current?.abort();
    prove.reset();
    enter.reset();
  };

  const failed = [prove, enter].find(({ error }) => error && !needsTerms(error));
  const isNew = prove.data?.action === "signup" || needsTerms(enter.error);
  const asks = prove.data && isNew && !enter.isSuccess && (!enter.isError || needsTerms(enter.error));
  return {
    start,
    cancel,
    isIdle: enter.isIdle,
    isEntering: enter.isPending,
    /** Why the last attempt failed, until `cancel` or the next one. */
    failure: failed ? reasonOf(failed.error, (prove.variables ?? enter.variables)?.vendor) : null,
    /** The identity that must accept the terms first. */
    newcomer: asks ? { vendor: prove.variables.vendor, proof: prove.data } : null,
    accept: (newcomer: Proved) => enter.mutate({ ...newcomer, terms: true }),
  };
}

const needsTerms = (error: unknown): boolean => "terms" in fieldErrors(error);

function reasonOf(error: unknown, vendor: Vendor | undefined): string {
  if (error instanceof PopupBlocked) return t("login.popupBlocked");
  if (error instanceof ApiError && ERRORS[error.code]) return ERRORS[error.code]!;
  if (error instanceof NotBusiness || (error instanceof ApiError && error.status === 422)) return t("register.businessOnly");
  if (error instanceof ApiError && error.reason === "no_proof") return t("login.socialLate");
  const text = error instanceof ProviderRejected ? t("login.socialFailed") : t("somethingWrong");
  const failure = vendor === "linkedin" ? text + t("login.socialRetry") : text;
  return error instanceof ApiError && error.reason === "email_not_verified" ? failure + t("login.socialUnverified") : failure;
}
