/** Shown until the user has opened the mailed link. Checks again when the mouse enters or leaves the window, and
 periodically. */
import { Anchor, Button, Group } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ExternalLink, MailCheck } from "lucide-react";
import { Link, Navigate } from "react-router";
import { toast } from "../../../shared/toasts";
import { account } from "../../api/account";
import { explain } from "../../api/explain";
import { runScript, useScript } from "../../api/scripts";
import { AuthForm } from "../../components/AuthForm";
import { BusyButton } from "../../components/ui/BusyButton";
import { t } from "../../lib/i18n";
import { currentSession } from "../../stores/session";
import { type Unverified, useUnverified } from "../../stores/unverified";
import classes from "./VerifyEmail.module.css";

const LOOK_EVERY_MS = 10_000;
const INBOXES = [
  ["Gmail", "https://mail.google.com/"],
  ["Outlook", "https://outlook.office.com/mail/"],
] as const;

export function VerifyEmailScreen() {
  const person = useUnverified();
  return person ? <Waiting person={person} /> : <Navigate to="/login" replace />;
}

function Waiting({ person: { email, checktoken } }: { person: Unverified }) {
  const queries = useQueryClient();
  const state = useQuery({
    queryKey: ["getappuserbyemail", email],
    queryFn: async ({ signal }) => {
      const answer = await runScript("getappuserbyemail", { email, checktoken }, { signal });
      // The dashboard uses the cached account, which was stored before the address was verified.
      if (answer.resource[0]?.isverified && currentSession()) await queries.fetchQuery({ ...account, staleTime: 0 });
      return answer;
    },
    staleTime: 0,
    refetchInterval: LOOK_EVERY_MS,
    refetchOnWindowFocus: "always",
  });
  const resend = useScript("sendverificationemail");
  const look = () => {
    if (!state.isFetching) void state.refetch();
  };
  const send = () =>
    resend.mutate(
      { email, checktoken },
      { onSuccess: () => toast(t("verify.resent")), onError: (error) => toast(explain(error), "bad") },
    );

  if (state.data?.resource[0]?.isverified) return <Navigate to="/dashboard/main/dashboardmain" replace />;
  return (
    <div onMouseEnter={look} onMouseLeave={look}>
      <AuthForm
        title={t("verify.title")}
        lead={t("verify.lead", { email })}
        foot={
          <Anchor component={Link} to="/login">{t("forgot.back")}</Anchor>
        }
      >
        <Group component="p" align="flex-start" wrap="nowrap" gap="sm" py="sm" px="md" bdrs="var(--r-control)" bg="var(--accent-soft)" c="var(--accent)">
          <MailCheck size={20} strokeWidth={1.75} style={{ flex: "none" }} aria-hidden="true" />
          {t("verify.note")}
        </Group>
        <div className={classes.inboxes}>
          {INBOXES.map(([name, href]) => (
            <Button key={name} component="a" href={href} target="_blank" rel="noopener noreferrer" size="md" variant="default" rightSection={<ExternalLink size={16} strokeWidth={1.75} aria-hidden="true" />}>
              {t("verify.open", { name })}
            </Button>
          ))}
        </div>
        <BusyButton size="md" variant="subtle" onClick={send} busy={resend.isPending}>
          {t("verify.resend")}
        </BusyButton>
      </AuthForm>
    </div>
  );
}

export { VerifyEmailScreen as Component };
