/** Everybody of the team, with what the owner may do to each. */
import { Table } from "@mantine/core";
import { useState } from "react";
import { explain } from "../../api/explain";
import { useDeleteMember, useResendInvite, useToggleMember } from "../../api/team";
import type { User } from "../../api/types";
import { Confirm } from "../../components/ui/Confirm";
import { t } from "../../lib/i18n";
import { toast } from "../../stores/toasts";
import classes from "./ManageSeats.module.css";
import { MemberRow } from "./MemberRow";

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
      <Table.ScrollContainer minWidth={820} tabIndex={0} role="region" aria-label={t("seats.members")}>
        <Table className={classes.table} verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("contacts.name")}</Table.Th>
              <Table.Th>{t("field.email")}</Table.Th>
              <Table.Th>{t("seats.role")}</Table.Th>
              <Table.Th>{t("seats.created")}</Table.Th>
              <Table.Th>{t("seats.status")}</Table.Th>
              <Table.Th>{t("seats.actions")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {members.map((member) => (
              <MemberRow
                key={member.appuserid}
                member={member}
                onToggle={(on) => ask(on ? "enable" : "disable", member)}
                onDelete={() => ask("delete", member)}
                onResend={() => resend.mutate({ appuserid: member.appuserid }, report(t("seats.resendDone")))}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
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
