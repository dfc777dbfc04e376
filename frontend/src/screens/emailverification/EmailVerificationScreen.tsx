/** Target of the mailed verification link: confirms the address, or states that the link has expired. */
import { Group, Loader } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link2Off } from "lucide-react";
import { useEffect, useRef } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { toast } from "../../../shared/toasts";
import { account } from "../../api/account";
import { useMutation } from "../../api/mutation";
import { runScript } from "../../api/scripts";
import { invitedUser } from "../../api/signup";
import { Title } from "../../components/Title";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Outcome } from "../../components/ui/Outcome";
import { t } from "../../lib/i18n";
import { currentSession } from "../../stores/session";
import { unverifiedLeft } from "../../stores/unverified";

async function verify({ email, code }: { email: string; code: string }) {
  const user = await invitedUser(email, code);
  if (!user) throw new Error("expired");
  await runScript("updatinvitedappuser", { email, verifytoken: code });
  return user;
}

export function EmailVerificationScreen() {
  const [params] = useSearchParams();
  const { mutate, isError } = useVerify();
  // A link works only once, but React may run effects twice.
  const started = useRef(false);

  useEffect(() => {
    if (started.current) return;
    started.current = true;
    mutate({ email: params.get("email") ?? "", code: params.get("code") ?? "" });
  }, [mutate, params]);

  if (isError) {
    return (
      <>
        <Title text={t("verification.expired")} />
        <Outcome
          tone="bad"
          icon={<Link2Off size={24} strokeWidth={1.75} aria-hidden="true" />}
          title={t("verification.expired")}
          text={t("verification.expiredText")}
          actions={<ButtonLink to="/login" role="button">{t("verification.goToLogin")}</ButtonLink>}
        />
      </>
    );
  }
  return (
    <Group wrap="nowrap" role="status">
      <Title text={t("verification.verifying")} />
      <Loader size="sm" />
      <h1>{t("verification.verifying")}</h1>
    </Group>
  );
}

/** Confirms; then, if this browser is signed in, refreshes the account, requests the welcome mail and opens the app. */
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
        // The welcome mail is optional: a failure does not block access.
        await runScript("registration_confirmation", { appuserid: user.appuserid }).catch(() => undefined);
      }
      void navigate("/dashboard/main/dashboardmain", { replace: true });
    },
  });
}

export { EmailVerificationScreen as Component };
