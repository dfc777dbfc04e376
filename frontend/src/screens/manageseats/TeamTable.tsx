/** The members of the team, with the actions of the owner. */
import { useState } from "react";
import { explain } from "../../api/explain";
import { useDeleteMember, useResendInvite, useToggleMember } from "../../api/team";
import type { User } from "../../api/types";
import { CardTable } from "../../components/ui/CardTable";
import { Confirm } from "../../components/ui/Confirm";
import { t } from "../../lib/i18n.dashboard";
import { toast } from "../../stores/toasts";
import { MemberRow } from "./MemberRow";

const COLUMNS = [t("contacts.name"), t("field.email"), t("seats.role"), t("seats.created"), t("seats.status"), t("seats.actions")];

type Action = "enable" | "disable" | "delete";

export function TeamTable({ members }: { members: User[] }) {
  // The question stays drawn while its dialog fades out.
  const [asked, setAsked] = useState<{ action: Action; member: User; open: boolean } | null>(null);
  const toggle = useToggleMember();
  const remove = useDeleteMember();
  const resend = useResendInvite();

  const ask = (action: Action, member: User) => setAsked({ action, member, open: true });
  const close = () => setAsked((old) => old && { ...old, open: false });
  const report = (done: string) => ({
    onSuccess: () => {
      close();
      toast(done);
    },
    onError: (error: unknown) => {
      close();
      toast(explain(error), "bad");
    },
  });
  const act = () => {
    if (!asked) return;
    const { action, member } = asked;
    const { appuserid } = member;
    if (action === "delete") remove.mutate(appuserid, report(t("seats.deleteDone")));
    else toggle.mutate({ appuserid, isactive: action === "enable" ? 1 : 0 }, report(t(`seats.${action}Done`)));
  };

  return (
    <>
      <CardTable minWidth={790} label={t("seats.members")} columns={COLUMNS}>
        {members.map((member) => (
          <MemberRow
            key={member.appuserid}
            member={member}
            onToggle={(on) => ask(on ? "enable" : "disable", member)}
            onDelete={() => ask("delete", member)}
            onResend={() => resend.mutate({ appuserid: member.appuserid }, report(t("seats.resendDone")))}
          />
        ))}
      </CardTable>
      {asked && (
        <Confirm
          opened={asked.open}
          onClose={close}
          title={t(`seats.${asked.action}Title`)}
          text={t(`seats.${asked.action}Text`, { name: asked.member.name })}
          confirm={asked.action === "delete" ? t("delete") : t(`seats.${asked.action}`)}
          cancel={t("cancel")}
          danger={asked.action !== "enable"}
          busy={toggle.isPending || remove.isPending}
          onConfirm={act}
        />
      )}
    </>
  );
}
