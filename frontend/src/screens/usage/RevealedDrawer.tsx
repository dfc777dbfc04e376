/** The contacts of which a member revealed something, ten on a page. */
import { Anchor, Button } from "@mantine/core";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/errors";
import { explain } from "../../api/explain";
import type { List, PlatformUsage, UserContact } from "../../api/types";
import { REVEALED_PAGE, revealedBy } from "../../api/usage";
import { Empty } from "../../components/Empty";
import { NameAvatar } from "../../components/NameAvatar";
import { Problem } from "../../components/Problem";
import { Drawer } from "../../components/ui/Drawer";
import { Pager } from "../../components/ui/Pager";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { profileLink, valuesOf } from "../../domain/contacts";
import { t } from "../../lib/i18n.dashboard";
import classes from "./Usage.module.css";

interface Props {
  member: PlatformUsage;
  opened: boolean;
  onClose: () => void;
}

export default function RevealedDrawer({ member, opened, onClose }: Props) {
  const title = t("usage.revealedTitle", { name: member.name });
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title={title}
      subtitle={member.email}
      lead={<NameAvatar name={member.name} size={32} />}
      foot={
        <Button ms="auto" onClick={onClose}>
          {t("done")}
        </Button>
      }
    >
      <Revealed appuserid={member.appuserid} label={title} />
    </Drawer>
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
    <ul className={classes.contacts} aria-label={label}>
      {list.data.resource.map((row) => (
        <Contact key={row.contactid} row={row} />
      ))}
    </ul>
  );
}

function Contact({ row }: { row: UserContact }) {
  const { phones, business, personal } = valuesOf(row);
  const kinds = [
    [t("contacts.personal"), personal],
    [t("contacts.business"), business],
    [t("contacts.phone"), phones],
  ] as const;
  return (
    <li>
      <Anchor href={profileLink(row.linkedinurl)} target="_blank" rel="noopener noreferrer" fw={500}>
        {row.name}
      </Anchor>
      <dl>
        {kinds.map(([kind, values]) => (
          <div key={kind}>
            <dt>{kind}</dt>
            <dd>{values.length > 0 ? values.map((value) => <div key={value}>{value}</div>) : "–"}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}
