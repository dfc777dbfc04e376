/** The user's sessions. One can be ended, or all but this one. */
import { Badge, Box, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { useMemo, useState } from "react";
import { toast } from "../../../shared/toasts";
import { useAccount } from "../../api/account";
import { explain, problemOf } from "../../api/explain";
import { signIns, useEndOthers, useEndSignIn } from "../../api/history";
import type { SignIn } from "../../api/types";
import { ListTable } from "../../components/ListTable";
import { BusyButton } from "../../components/ui/BusyButton";
import { Card } from "../../components/ui/Card";
import { Confirm } from "../../components/ui/Confirm";
import type { Column } from "../../components/ui/DataTable";
import { deviceOf } from "../../domain/device";
import { scopeText } from "../../domain/scope";
import { t } from "../../lib/i18n.dashboard";
import { momentText } from "../../lib/dates";

const deviceText = ({ agent, useragent }: SignIn): string => agent ?? (deviceOf(useragent) || t("sessions.unknown"));

function columnsOf(current: number | null, onEnd: (one: SignIn) => void, ending: number | null): Column<SignIn>[] {
  return [
    { key: "device", head: t("sessions.device"), cell: Device },
    { key: "lastused", head: t("sessions.lastused"), cell: ({ lastused, ip }) => <>{momentText(lastused)}<Box c="dimmed" fz="sm">{ip ?? "–"}</Box></> },
    { key: "created", head: t("sessions.created"), cell: ({ createdon }) => momentText(createdon) },
    { key: "actions", head: t("sessions.actions"), align: "end", cell: (one) => (one.usersessionid === current ? <Current /> : <End one={one} busy={ending === one.usersessionid} onEnd={onEnd} />) },
  ];
}

/** The device or, for a connected application, its name and permissions. */
function Device(one: SignIn) {
  return (
    <>
      {deviceText(one)}
      {one.scopes && <Box c="dimmed" fz="sm">{t("sessions.may", { scopes: one.scopes.split(" ").map(scopeText).join("; ") })}</Box>}
    </>
  );
}

/** Replaces the button: this session ends by signing out. */
function Current() {
  return <Badge variant="light">{t("sessions.current")}</Badge>;
}

function End({ one, busy, onEnd }: { one: SignIn; busy: boolean; onEnd: (one: SignIn) => void }) {
  return (
    <BusyButton
      size="compact-sm"
      variant="default"
      busy={busy}
      aria-label={t("sessions.endOf", { device: deviceText(one), time: momentText(one.lastused) })}
      onClick={() => onEnd(one)}
    >
      {t("sessions.end")}
    </BusyButton>
  );
}

export function Sessions() {
  const { usersessionid: current } = useAccount();
  const [query] = useState(() => signIns());
  const list = useQuery(query);
  const [asking, { open, close }] = useDisclosure();
  const { mutate, isPending, variables } = useEndSignIn();
  const others = useEndOthers();
  const ending = isPending ? variables : null;

  const columns = useMemo(
    () =>
      columnsOf(
        current,
        ({ usersessionid }) =>
          mutate(usersessionid, { onSuccess: () => toast(t("sessions.ended")), onError: (error) => toast(explain(error), "bad") }),
        ending,
      ),
    [current, mutate, ending],
  );
  const endOthers = () =>
    others.mutate(undefined, {
      onSuccess: () => toast(t("sessions.othersEnded")),
      onError: (error) => toast(explain(error), "bad"),
      onSettled: close,
    });
  const several = (list.data?.resource.length ?? 0) > 1;

  return (
    <Card
      title={t("settings.sessions")}
      text={t("sessions.lead")}
      action={
        several && (
          <Button variant="default" size="sm" leftSection={<LogOut size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={open}>
            {t("sessions.endOthers")}
          </Button>
        )
      }
    >
      <ListTable
        label={t("settings.sessions")}
        list={list}
        explain={problemOf}
        columns={columns}
        rowKey={({ usersessionid }) => usersessionid}
        lines={3}
        phone={(one) => (
          <>
            <strong>{Device(one)}</strong>
            {columns.at(-1)!.cell(one)}
            <span>{momentText(one.lastused)}</span>
            <span>{one.ip}</span>
          </>
        )}
      />
      <Confirm
        opened={asking}
        onClose={close}
        title={t("sessions.othersTitle")}
        text={t("sessions.othersText")}
        confirm={t("sessions.endOthers")}
        danger
        busy={others.isPending}
        onConfirm={endOthers}
      />
    </Card>
  );
}
