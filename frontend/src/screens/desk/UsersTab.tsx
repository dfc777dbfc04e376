/** The users of a client, with the actions of staff for each. */
import { ActionIcon, Menu } from "@mantine/core";
import { Ellipsis } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { toast } from "../../../shared/toasts";
import { Address } from "../../components/Address";
import { type DeskUser, type Overview, useDesk, useView } from "../../api/desk";
import { explain } from "../../api/explain";
import classes from "../../components/ListTable.module.css";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { momentText } from "../../lib/dates";
import { t } from "../../lib/i18n.desk";
import { ActionDialog } from "./ActionDialog";
import desk from "./Desk.module.css";

type Asking = { user: DeskUser; what: "view" | "end" | "mfa" } | null;

function stateOf(user: DeskUser): string {
  if (user.isdeleted) return t("user.deleted");
  if (user.invitestatus === "pending") return t("user.pending");
  if (!user.isactive) return t("user.disabled");
  return user.isverified ? t("user.active") : t("user.unverified");
}

const roleOf = ({ role }: DeskUser) => t(role === "client" ? "user.owner" : role === "admin" ? "user.admin" : "user.member");

export function UsersTab({ of }: { of: Overview }) {
  const [asking, setAsking] = useState<Asking>(null);
  const columns = useMemo<Column<DeskUser>[]>(
    () => [
      { key: "name", head: t("user.name"), wraps: true, cell: ({ name }) => name },
      { key: "email", head: t("find.email"), wraps: true, cell: ({ email }) => <Address text={email} /> },
      { key: "role", head: t("user.role"), cell: roleOf },
      { key: "state", head: t("user.state"), cell: stateOf },
      { key: "last", head: t("user.lastlogin"), cell: ({ lastloginon }) => momentText(lastloginon) || t("none") },
      { key: "actions", head: t("queue.actions"), align: "end", cell: (user) => <Actions user={user} onAsk={setAsking} /> },
    ],
    [],
  );
  return (
    <>
      <DataTable
        label={t("client.users")}
        columns={columns}
        rows={of.users}
        rowKey={({ appuserid }) => appuserid}
        state={({ isdeleted }) => (isdeleted ? "deleted" : undefined)}
        phone={(user) => (
          <div className={classes.phone}>
            <strong>{user.name}</strong>
            <Actions user={user} onAsk={setAsking} />
            <span>{user.email}</span>
            <span>{stateOf(user)}</span>
          </div>
        )}
      />
      {asking && <Ask key={asking.what} asking={asking} onClose={() => setAsking(null)} />}
    </>
  );
}

function Actions({ user, onAsk }: { user: DeskUser; onAsk: (asking: Asking) => void }) {
  const mail = useDesk("mail");
  const target = useRef<HTMLButtonElement>(null);
  const send = (kind: "invitation" | "verification") =>
    mail.mutate(
      { kind, appuserid: user.appuserid },
      { onSuccess: () => toast(t("user.mailed")), onError: (error) => toast(explain(error), "bad") },
    );
  if (user.isdeleted) return null;
  const pending = user.invitestatus === "pending";
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon ref={target} className={desk.menu!} variant="subtle" color="gray" aria-label={t("user.actions", { name: user.name })}>
          <Ellipsis size={16} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {user.isactive && user.isverified && !pending ? (
          <Menu.Item onClick={() => onAsk({ user, what: "view" })}>{t("user.viewShort")}</Menu.Item>
        ) : null}
        {pending && <Menu.Item onClick={() => send("invitation")}>{t("user.invite")}</Menu.Item>}
        {!pending && !user.isverified && <Menu.Item onClick={() => send("verification")}>{t("user.verify")}</Menu.Item>}
        {user.hasmfa ? <Menu.Item onClick={() => onAsk({ user, what: "mfa" })}>{t("user.mfa")}</Menu.Item> : null}
        <Menu.Item color="red" onClick={() => onAsk({ user, what: "end" })}>
          {t("user.end")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Ask({ asking: { user, what }, onClose }: { asking: NonNullable<Asking>; onClose: () => void }) {
  const navigate = useNavigate();
  const view = useView(() => void navigate("/dashboard/main/dashboardmain"));
  const end = useDesk("sessions");
  const mfa = useDesk("secondfactor");
  const { appuserid, name } = user;
  const confirm = (reason: string) => {
    if (what === "view") return view.mutate({ appuserid, reason });
    const onSuccess = () => {
      toast(t(what === "mfa" ? "user.mfaDone" : "user.ended"));
      onClose();
    };
    return (what === "mfa" ? mfa : end).mutate({ appuserid, reason }, { onSuccess });
  };
  return (
    <ActionDialog
      title={t(`user.${what}Title`, { name })}
      text={t(`user.${what}Text`)}
      confirm={t(what === "view" ? "user.viewConfirm" : `user.${what}`)}
      danger={what !== "view"}
      busy={view.isPending || end.isPending || mfa.isPending}
      error={view.error ?? end.error ?? mfa.error}
      onClose={onClose}
      onConfirm={confirm}
    />
  );
}
