/** The parts of a row of the team: name, status with its switch, actions. */
import { ActionIcon, Group, Switch } from "@mantine/core";
import { Send, Trash2 } from "lucide-react";
import type { User } from "../../api/types";
import { NameAvatar } from "../../components/NameAvatar";
import { BusyButton } from "../../components/ui/BusyButton";
import { canDelete, canResend, canToggle, isAdmin, statusOf } from "../../domain/member";
import { t } from "../../lib/i18n.dashboard";
import classes from "./ManageSeats.module.css";

const SWITCH = { track: classes.track!, thumb: classes.thumb! };

export interface MemberActions {
  onToggle: (member: User, on: boolean) => void;
  onDelete: (member: User) => void;
  onResend: (member: User) => void;
}

export const roleOf = (member: User): string => (isAdmin(member) ? t("seats.roleAdmin") : t("seats.roleMember"));

export function Name({ member: { name, avatar } }: { member: User }) {
  return (
    <Group wrap="nowrap" gap="sm" fw="var(--fw-500)" className={classes.name}>
      <NameAvatar name={name} src={avatar} size={24} />
      <span>{name}</span>
    </Group>
  );
}

export function MemberStatus({ member, onToggle }: { member: User } & Pick<MemberActions, "onToggle">) {
  const status = statusOf(member);
  return (
    <div className={classes.status}>
      <Group component="span" display="inline-flex" wrap="nowrap" gap="xs" className={classes.dot} data-status={status}>
        {t(`seats.${status}`)}
      </Group>
      {canToggle(member) && (
        <Switch
          size="xs"
          classNames={SWITCH}
          checked={member.isactive === 1}
          aria-label={t("seats.toggleOf", { name: member.name })}
          onChange={(event) => onToggle(member, event.currentTarget.checked)}
        />
      )}
    </div>
  );
}

export function Actions({ member, onDelete, onResend }: { member: User } & Pick<MemberActions, "onDelete" | "onResend">) {
  const { name } = member;
  return (
    <div className={classes.actions}>
      {canResend(member) && (
        <BusyButton
          size="compact-sm"
          variant="default"
          leftSection={<Send size={14} strokeWidth={1.75} aria-hidden="true" />}
          aria-label={t("seats.resendOf", { name })}
          onClick={() => onResend(member)}
        >
          {t("seats.resend")}
        </BusyButton>
      )}
      {canDelete(member) && (
        <ActionIcon variant="subtle" color="gray" aria-label={t("seats.deleteOf", { name })} onClick={() => onDelete(member)}>
          <Trash2 size={16} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      )}
    </div>
  );
}

/** A row of a narrow window: name and status, whole address, actions. */
export function PhoneRow({ member, actions }: { member: User; actions: MemberActions }) {
  return (
    <div className={classes.phone}>
      <NameAvatar name={member.name} src={member.avatar} size={32} />
      <strong>{member.name}</strong>
      <span>{roleOf(member)}</span>
      <p>{member.email}</p>
      <footer>
        <MemberStatus member={member} onToggle={actions.onToggle} />
        <Actions member={member} onDelete={actions.onDelete} onResend={actions.onResend} />
      </footer>
    </div>
  );
}
