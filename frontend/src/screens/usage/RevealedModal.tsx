/** The contacts of which a member revealed something, ten on a page. */
import { Anchor, Button, Group, Table } from "@mantine/core";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import type { List, PlatformUsage, UserContact } from "../../api/types";
import { REVEALED_PAGE, revealedBy } from "../../api/usage";
import { Empty } from "../../components/Empty";
import { Problem } from "../../components/Problem";
import { CardTable } from "../../components/ui/CardTable";
import { Dialog } from "../../components/ui/Dialog";
import { Pager } from "../../components/ui/Pager";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { profileLink, valuesOf } from "../../domain/contacts";
import { t } from "../../lib/i18n.dashboard";
import classes from "./Usage.module.css";

const COLUMNS = [t("contacts.name"), t("contacts.personal"), t("contacts.business"), t("contacts.phone")];

interface Props {
  member: PlatformUsage;
  opened: boolean;
  onClose: () => void;
}

export function RevealedModal({ member, opened, onClose }: Props) {
  const title = t("usage.revealedTitle", { name: member.name });
  return (
    <Dialog opened={opened} onClose={onClose} size="xl" title={title}>
      <Revealed appuserid={member.appuserid} label={title} />
      <Group justify="flex-end" mt="md">
        <Button onClick={onClose}>{t("done")}</Button>
      </Group>
    </Dialog>
  );
}

function Revealed({ appuserid, label }: { appuserid: number; label: string }) {
  const [page, setPage] = useState(1);
  const list = useQuery(revealedBy(appuserid, page));
  const count = list.data?.meta?.count ?? 0;
  return (
    <>
      <div className={classes.list} aria-busy={list.isFetching} data-stale={list.isPlaceholderData || undefined}>
        <Content list={list} label={label} />
      </div>
      {count > REVEALED_PAGE && (
        <Pager page={page} size={REVEALED_PAGE} count={count} withSizes={false} onChange={(change) => setPage(change.page)} />
      )}
    </>
  );
}

function Content({ list, label }: { list: UseQueryResult<List<UserContact>>; label: string }) {
  if (list.isPending) return <TableSkeleton label={t("loading")} lines={5} />;
  if (list.isError) {
    const requestId = list.error instanceof ApiError ? list.error.requestId : undefined;
    return <Problem text={explain(list.error)} requestId={requestId} retry={list.refetch} />;
  }
  if (list.data.resource.length === 0) return <Empty title={t("noDataFound")} />;
  return (
    <CardTable minWidth={720} spacing="xs" label={label} columns={COLUMNS} className={classes.table}>
      {list.data.resource.map((row) => (
        <ContactLine key={row.contactid} row={row} />
      ))}
    </CardTable>
  );
}

function ContactLine({ row }: { row: UserContact }) {
  const { phones, business, personal } = valuesOf(row);
  return (
    <Table.Tr>
      <Table.Td className={classes.name}>
        <Anchor href={profileLink(row.linkedinurl)} target="_blank" rel="noopener noreferrer">
          {row.name}
        </Anchor>
      </Table.Td>
      {[personal, business, phones].map((values, index) => (
        <Table.Td key={index} className={classes.values}>
          <div>{values.length > 0 ? values.map((value) => <div key={value}>{value}</div>) : "–"}</div>
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
