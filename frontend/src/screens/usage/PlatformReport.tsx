/** One line for each member: what they revealed in the month. The total opens the contacts behind it. */
import { Anchor, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { UsageSpan } from "../../api/scripts";
import type { PlatformUsage } from "../../api/types";
import { platformUsage } from "../../api/usage";
import { NameAvatar } from "../../components/NameAvatar";
import { t } from "../../lib/i18n.dashboard";
import { Report } from "./Report";
import { RevealedModal } from "./RevealedModal";
import classes from "./Usage.module.css";

const COLUMNS = [t("usage.member"), t("usage.total"), t("usage.personal"), t("usage.business"), t("usage.dials")];

export function PlatformReport({ span }: { span: UsageSpan }) {
  const list = useQuery(platformUsage(span));
  // The member stays drawn while the dialog fades out.
  const [shown, setShown] = useState<{ member: PlatformUsage; open: boolean } | null>(null);
  return (
    <>
      <Report
        list={list}
        label={t("usage.platform")}
        columns={COLUMNS}
        renderRow={(member) => <MemberLine key={member.appuserid} member={member} onOpen={() => setShown({ member, open: true })} />}
      />
      {shown && (
        <RevealedModal
          key={shown.member.appuserid}
          member={shown.member}
          opened={shown.open}
          onClose={() => setShown((old) => old && { ...old, open: false })}
        />
      )}
    </>
  );
}

function MemberLine({ member, onOpen }: { member: PlatformUsage; onOpen: () => void }) {
  const { name, email, totalrevealedcount: total } = member;
  return (
    <Table.Tr>
      <Table.Td>
        <div className={classes.member}>
          <NameAvatar name={name} size={34} />
          <div>
            <div className={classes.name}>{name}</div>
            <div className={classes.email}>{email}</div>
          </div>
        </div>
      </Table.Td>
      <Table.Td>
        <Anchor component="button" fw={600} aria-label={t("usage.totalOf", { count: total, name })} onClick={onOpen}>
          {total.toLocaleString("en-US")}
        </Anchor>
      </Table.Td>
      <Table.Td>{member.personalemailcount.toLocaleString("en-US")}</Table.Td>
      <Table.Td>{member.busemailcount.toLocaleString("en-US")}</Table.Td>
      <Table.Td>{member.directdialscount.toLocaleString("en-US")}</Table.Td>
    </Table.Tr>
  );
}
