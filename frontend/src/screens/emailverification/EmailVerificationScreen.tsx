/** Target of the mailed verification link: confirms the address, or says that the link is too old. */
import { Button, Loader } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { account } from "../../api/account";
import { runScript } from "../../api/scripts";
import { invitedUser } from "../../api/signup";
import { AuthForm } from "../../components/AuthForm";
import { t } from "../../lib/i18n";
import { currentSession } from "../../stores/session";
import { toast } from "../../stores/toasts";
import { unverifiedLeft } from "../../stores/unverified";
import classes from "./EmailVerification.module.css";

async function verify({ email, code }: { email: string; code: string }) {
  const user = await invitedUser(email, code);
  if (!user) throw new Error("expired");
  await runScript("updatinvitedappuser", { email, verifytoken: code });
  return user;
}

export function EmailVerificationScreen() {
  const [params] = useSearchParams();
  const { mutate, isError } = useVerify();
  // A link works once: not again when React runs effects twice.
  const started = useRef(false);

  useEffect(() => {
    if (started.current) return;
    started.current = true;
    mutate({ email: params.get("email") ?? "", code: params.get("code") ?? "" });
  }, [mutate, params]);

  if (isError) {
    return (
      <AuthForm title={t("verification.expired")} lead={t("verification.expiredText")}>
        <Button component={Link} to="/login" size="md" role="button">
          {t("verification.goToLogin")}
        </Button>
      </AuthForm>
    );
  }
  return (
    <div className={classes.verifying} role="status">
      <Loader size="sm" />
      <h1>{t("verification.verifying")}</h1>
    </div>
  );
}

/** Confirms; then, where this browser is signed in, refreshes the account, asks for the welcome mail and goes in. */
function useVerify() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: verify,
    onSuccess: async (user) => {
      unverifiedLeft();
      toast(t("verification.done"));
      if (currentSession()?.emailid === user.email) {
        await queries.invalidateQueries({ queryKey: account.queryKey });
        // The welcome mail is a kindness: without it the way in is open all the same.
        await runScript("registration_confirmation", { appuserid: user.appuserid }).catch(() => undefined);
      }
      void navigate("/dashboard/main/dashboardmain", { replace: true });
    },
  });
}

export { EmailVerificationScreen as Component };
