/** Target of the mailed invitation: its inviter, company and role, and one button that accepts. */
import { Anchor, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link2Off, UserCheck } from "lucide-react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { toast } from "../../../shared/toasts";
import { config } from "../../api/config";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import { useScript } from "../../api/scripts";
import { invitedUser } from "../../api/signup";
import { AuthForm } from "../../components/AuthForm";
import { Fact } from "../../components/Fact";
import { NameAvatar } from "../../components/NameAvatar";
import { Title } from "../../components/Title";
import { BusyButton } from "../../components/ui/BusyButton";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Outcome } from "../../components/ui/Outcome";
import { t } from "../../lib/i18n";
import classes from "./AcceptInvite.module.css";

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
    <Anchor component={Link} to="/login">{t("verification.goToLogin")}</Anchor>
  );
  if (invited.isPending) return <Skeleton height={220} radius="md" />;
  if (invited.isError && !isUnknown(invited.error)) return <AuthForm title={t("invite.title")} alert={explain(invited.error)} foot={login} />;
  if (invited.data?.invitestatus === "accepted") return <Ended tone="good" title={t("invite.title")} text={t("invite.already")} />;
  if (!invited.data || isUnknown(accept.error)) {
    return <Ended tone="bad" title={t("invite.notFound")} text={t("invite.notFoundText")} />;
  }
  const { name, role, invitedby: inviter, companyname } = invited.data;
  const brand = config().brandname;
  return (
    <AuthForm
      title={t("invite.hello", { name })}
      lead={inviter ? t("invite.invitedBy", { inviter, brand }) : t("invite.lead", { brand, email })}
      alert={accept.isError ? explain(accept.error) : null}
      foot={login}
    >
      {inviter && (
        <div className={classes.invitation}>
          <NameAvatar name={inviter} size={48} />
          <dl>
            {companyname && <Fact term={t("invite.company")} value={companyname} />}
            <Fact term={t("invite.role")} value={role === "admin" ? t("invite.roleAdmin") : t("invite.roleMember")} />
            <Fact term={t("invite.email")} value={email} />
          </dl>
        </div>
      )}
      <Text c="dimmed">{t("invite.next")}</Text>
      <BusyButton size="md" onClick={send} busy={accept.isPending}>
        {t("invite.accept")}
      </BusyButton>
    </AuthForm>
  );
}

/** The invitation is used or declined; the only next step is to sign in. */
function Ended({ tone, title, text }: { tone: "good" | "bad"; title: string; text: string }) {
  const Icon = tone === "good" ? UserCheck : Link2Off;
  return (
    <>
      <Title text={title} />
      <Outcome
        tone={tone}
        icon={<Icon size={24} strokeWidth={1.75} aria-hidden="true" />}
        title={title}
        text={text}
        actions={<ButtonLink to="/login">{t("verification.goToLogin")}</ButtonLink>}
      />
    </>
  );
}

/** The link is unknown or expired. */
function isUnknown(error: unknown): boolean {
  return error instanceof ApiError && [400, 401, 403, 404].includes(error.status);
}

export { AcceptInviteScreen as Component };
