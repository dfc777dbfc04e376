/** Target of the mailed invitation: one button that accepts it. */
import { Anchor, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearchParams } from "react-router";
import { config } from "../../api/config";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { useScript } from "../../api/scripts";
import { invitedUser } from "../../api/signup";
import { AuthForm } from "../../components/AuthForm";
import { BusyButton } from "../../components/ui/BusyButton";
import { t } from "../../lib/i18n";
import { toast } from "../../stores/toasts";

export function AcceptInviteScreen() {
  const [params] = useSearchParams();
  const email = params.get("email") ?? "";
  const code = params.get("code") ?? "";
  const navigate = useNavigate();
  const invited = useQuery({
    queryKey: ["invited", email, code],
    queryFn: async ({ signal }) => (await invitedUser(email, code, signal)) ?? null,
  });
  const accept = useScript("updatinvitedappuser");

  const toLogin = (text: string) => {
    toast(text);
    void navigate("/login", { replace: true });
  };
  const send = () =>
    accept.mutate(
      { email, verifytoken: code },
      { onSuccess: ({ already }) => toLogin(already ? t("invite.already") : t("invite.accepted")) },
    );

  const login = (
    <Anchor component={Link} to="/login">
      {t("verification.goToLogin")}
    </Anchor>
  );
  if (invited.isPending) return <Skeleton height={220} radius="md" />;
  if (invited.isError && !isUnknown(invited.error)) return <AuthForm title={t("invite.title")} alert={explain(invited.error)} foot={login} />;
  if (invited.data?.invitestatus === "accepted") return <AuthForm title={t("invite.title")} lead={t("invite.already")} foot={login} />;
  if (!invited.data || isUnknown(accept.error)) {
    return <AuthForm title={t("invite.notFound")} lead={t("invite.notFoundText")} foot={login} />;
  }
  return (
    <AuthForm
      title={t("invite.hello", { name: invited.data.name })}
      lead={t("invite.lead", { brand: config().brandname, email })}
      alert={accept.isError ? explain(accept.error) : null}
      foot={login}
    >
      <BusyButton size="md" onClick={send} busy={accept.isPending}>
        {t("invite.accept")}
      </BusyButton>
    </AuthForm>
  );
}

/** The server does not know the link, or knows it no more. */
function isUnknown(error: unknown): boolean {
  return error instanceof ApiError && [400, 401, 403, 404].includes(error.status);
}

export { AcceptInviteScreen as Component };
