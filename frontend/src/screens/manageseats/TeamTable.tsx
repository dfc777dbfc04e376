/** The members of the team, with the actions of the owner. */
import { useMemo, useState } from "react";
import { toast } from "../../../shared/toasts";
import { explain } from "../../api/explain";
import { useDeleteMember, useResendInvite, useToggleMember } from "../../api/team";
import type { User } from "../../api/types";
import { Address } from "../../components/Address";
import { Confirm } from "../../components/ui/Confirm";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { localDayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { Actions, type MemberActions, MemberStatus, Name, PhoneRow, roleOf } from "./MemberParts";

function columnsOf(actions: MemberActions): Column<User>[] {
  return [
    { key: "name", head: t("contacts.name"), wraps: true, cell: (member) => <Name member={member} /> },
    { key: "email", head: t("field.email"), wraps: true, cell: ({ email }) => <Address text={email} /> },
    { key: "role", head: t("seats.role"), cell: roleOf },
    { key: "created", head: t("seats.created"), cell: ({ createdon }) => localDayText(createdon) },
    { key: "status", head: t("seats.status"), cell: (member) => <MemberStatus member={member} onToggle={actions.onToggle} /> },
    { key: "actions", head: t("seats.actions"), align: "end", cell: (member) => <Actions member={member} {...actions} /> },
  ];
}

type Action = "enable" | "disable" | "delete";

export function TeamTable({ members }: { members: User[] }) {
  // The question stays drawn while its dialog fades out.
  const [asked, setAsked] = useState<{ action: Action; member: User; open: boolean } | null>(null);
  const toggle = useToggleMember();
  const remove = useDeleteMember();
  const resend = useResendInvite();

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

  const { mutate: sendAgain } = resend;
  const actions = useMemo<MemberActions>(
    () => ({
      onToggle: (member, on) => setAsked({ action: on ? "enable" : "disable", member, open: true }),
      onDelete: (member) => setAsked({ action: "delete", member, open: true }),
      onResend: ({ appuserid }) =>
        sendAgain(
          { appuserid },
          { onSuccess: () => toast(t("seats.resendDone")), onError: (error) => toast(explain(error), "bad") },
        ),
    }),
    [sendAgain],
  );
  const columns = useMemo(() => columnsOf(actions), [actions]);

  return (
    <>
      <DataTable
        label={t("seats.members")}
        columns={columns}
        rows={members}
        rowKey={({ appuserid }) => appuserid}
        phone={(member) => <PhoneRow member={member} actions={actions} />}
      />
      {asked && (
        <Confirm
          opened={asked.open}
          onClose={close}
          title={t(`seats.${asked.action}Title`)}
          text={t(asked.action === "delete" && isInvited(asked.member) ? "seats.invitedText" : `seats.${asked.action}Text`, { name: asked.member.name })}
          confirm={asked.action === "delete" ? t("delete") : t(`seats.${asked.action}`)}
          danger={asked.action !== "enable"}
          busy={toggle.isPending || remove.isPending}
          onConfirm={act}
        />
      )}
    </>
  );
}

/** Whether an invitation is all that there is of a member. */
const isInvited = ({ invitestatus }: User): boolean => invitestatus === "pending";
