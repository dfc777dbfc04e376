/** One member with its status, and its actions: enable or disable, resend, delete. */
import { ActionIcon, Button, Switch, Table } from "@mantine/core";
import { Send, Trash2 } from "lucide-react";
import type { User } from "../../api/types";
import { NameAvatar } from "../../components/NameAvatar";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { canDelete, canResend, canToggle, isAdmin, statusOf } from "../../domain/member";
import classes from "./ManageSeats.module.css";

interface Props {
  member: User;
  onToggle: (on: boolean) => void;
  onDelete: () => void;
  onResend: () => void;
}

export function MemberRow({ member, onToggle, onDelete, onResend }: Props) {
  const { name, email, avatar, createdon, isactive } = member;
  const status = statusOf(member);
  return (
    <Table.Tr>
      <Table.Td>
        <div className={classes.name}>
          <NameAvatar name={name} src={avatar} size={34} />
          {name}
        </div>
      </Table.Td>
      <Table.Td className={classes.email} title={email}>{email}</Table.Td>
      <Table.Td>{isAdmin(member) ? t("seats.roleAdmin") : t("seats.roleMember")}</Table.Td>
      <Table.Td className={classes.nowrap}>{dayText(createdon)}</Table.Td>
      <Table.Td>
        <div className={classes.status}>
          {canToggle(member) && (
            <Switch
              size="sm"
              checked={isactive === 1}
              aria-label={t("seats.toggleOf", { name })}
              onChange={(event) => onToggle(event.currentTarget.checked)}
            />
          )}
          <span className={classes.badge} data-status={status}>
            {t(`seats.${status}`)}
          </span>
        </div>
      </Table.Td>
      <Table.Td data-none={(!canResend(member) && !canDelete(member)) || undefined}>
        <div className={classes.status}>
          {canResend(member) && (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<Send size={14} aria-hidden="true" />}
              aria-label={t("seats.resendOf", { name })}
              onClick={onResend}
            >
              {t("seats.resend")}
            </Button>
          )}
          {canDelete(member) && (
            <ActionIcon variant="subtle" color="red" aria-label={t("seats.deleteOf", { name })} onClick={onDelete}>
              <Trash2 size={17} aria-hidden="true" />
            </ActionIcon>
          )}
        </div>
      </Table.Td>
    </Table.Tr>
  );
}
