/** One line for each member: their reveals in the month. The total opens the contacts behind it. */
import { Anchor, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, lazy, useMemo, useState } from "react";
import type { UsageSpan } from "../../api/scripts";
import type { PlatformUsage } from "../../api/types";
import { platformUsage } from "../../api/usage";
import { NameAvatar } from "../../components/NameAvatar";
import type { Column } from "../../components/ui/DataTable";
import { t } from "../../lib/i18n.dashboard";
import { numberText } from "../../lib/locale";
import { Report } from "./Report";
import { TeamChart } from "./TeamChart";
import classes from "./Usage.module.css";

const RevealedDrawer = lazy(() => import("./RevealedDrawer"));

const KINDS = [t("usage.personal"), t("usage.business"), t("usage.dials")];
const TOTALS = [
  [t("usage.total"), (row: PlatformUsage) => row.totalrevealedcount],
  [t("usage.personal"), (row: PlatformUsage) => row.personalemailcount],
  [t("usage.business"), (row: PlatformUsage) => row.busemailcount],
  [t("usage.dials"), (row: PlatformUsage) => row.directdialscount],
] as const;
const partsOf = (row: PlatformUsage) => [row.personalemailcount, row.busemailcount, row.directdialscount];
const text = numberText;

type Opens = (member: PlatformUsage) => void;

function columnsOf(onOpen: Opens): Column<PlatformUsage>[] {
  return [
    { key: "member", head: t("usage.member"), wraps: true, cell: (member) => <Member member={member} /> },
    { key: "total", head: t("usage.total"), align: "end", cell: (member) => <Total member={member} onOpen={onOpen} /> },
    { key: "personal", head: t("usage.personal"), align: "end", cell: (member) => text(member.personalemailcount) },
    { key: "business", head: t("usage.business"), align: "end", cell: (member) => text(member.busemailcount) },
    { key: "dials", head: t("usage.dials"), align: "end", cell: (member) => text(member.directdialscount) },
  ];
}

/** Members by number of reveals, most first; ties in the server's order. */
const byTotal = (rows: PlatformUsage[]) => rows.toSorted((one, other) => other.totalrevealedcount - one.totalrevealedcount);

export function PlatformReport({ span, month }: { span: UsageSpan; month: string }) {
  const list = useQuery(platformUsage(span));
  const rows = useMemo(() => list.data && byTotal(list.data.resource), [list.data]);
  // Keeps the member while the drawer fades out.
  const [shown, setShown] = useState<{ member: PlatformUsage; open: boolean } | null>(null);
  const [open, columns] = useMemo(() => {
    const opens: Opens = (member) => setShown({ member, open: true });
    return [opens, columnsOf(opens)];
  }, []);
  return (
    <>
      <Report
        list={list}
        rows={rows}
        label={t("usage.platform")}
        columns={columns}
        rowKey={({ appuserid }) => appuserid}
        totals={TOTALS}
        people={list.data?.meta?.people}
        chart={(shownRows) => (
          <TeamChart title={t("usage.byMember")} kinds={KINDS} bars={shownRows.map((row) => ({ key: row.appuserid, name: row.name, parts: partsOf(row) }))} />
        )}
        phone={(member) => (
          <Group wrap="nowrap" justify="space-between" gap="sm">
            <Member member={member} />
            <Total member={member} onOpen={open} />
          </Group>
        )}
      />
      <Suspense>
        {shown && (
          <RevealedDrawer
            key={shown.member.appuserid}
            member={shown.member}
            month={month}
            opened={shown.open}
            onClose={() => setShown((old) => old && { ...old, open: false })}
          />
        )}
      </Suspense>
    </>
  );
}

function Member({ member: { name, email } }: { member: PlatformUsage }) {
  return (
    <div className={classes.member}>
      <NameAvatar name={name} size={24} />
      <div className={classes.name}>{name}</div>
      <div className={classes.email}>{email}</div>
    </div>
  );
}

function Total({ member, onOpen }: { member: PlatformUsage; onOpen: Opens }) {
  const { name, totalrevealedcount: total, peoplecount } = member;
  return (
    <Anchor component="button" fw={600} fz="inherit" title={t("usage.peopleOf", { count: peoplecount })} aria-label={t("usage.totalOf", { count: total, name })} onClick={() => onOpen(member)}>
      {text(total)}
    </Anchor>
  );
}
