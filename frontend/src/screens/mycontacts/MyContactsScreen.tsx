/** The contacts that this person has unlocked. What is searched for and the page are in the address. */
import { Button, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { FileSpreadsheet, Search, UsersRound } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { TooFar, myContacts } from "../../api/contacts";
import { ApiError } from "../../api/errors";
import { explain, fieldErrors } from "../../api/explain";
import type { List, UserContact } from "../../api/types";
import { Empty } from "../../components/Empty";
import { Problem } from "../../components/Problem";
import { Title } from "../../components/Title";
import { BusyButton } from "../../components/ui/BusyButton";
import { Pager } from "../../components/ui/Pager";
import { TableSkeleton } from "../../components/ui/TableSkeleton";
import { t } from "../../lib/i18n.dashboard";
import { ContactsTable } from "./ContactsTable";
import classes from "./MyContacts.module.css";
import { useExport } from "./useExport";
import { useListParams } from "./useListParams";
import { type Selection, useSelection } from "./useSelection";

const DEBOUNCE_MS = 500;

export function MyContactsScreen() {
  const [{ page, size, text }, change] = useListParams();
  const list = useQuery(myContacts({ page, size, text }));
  const selection = useSelection();
  const { exportRows, busy } = useExport();
  const count = list.data?.meta?.count ?? 0;

  return (
    <>
      <Title text={t("contacts.title")} />
      <div className={classes.head}>
        <div>
          <h1>{t("contacts.title")}</h1>
          <p role="status">{list.isSuccess && t("contacts.count", { count })}</p>
        </div>
        <SearchBox text={text} onSearch={(typed) => change({ text: typed, page: 1 })} />
        <BusyButton
          leftSection={<FileSpreadsheet size={17} aria-hidden="true" />}
          disabled={selection.rows.length === 0}
          busy={busy}
          onClick={() => exportRows(selection.rows)}
        >
          {t("contacts.export")}
        </BusyButton>
      </div>
      <section className={classes.list} aria-busy={list.isFetching} data-stale={list.isPlaceholderData || undefined}>
        <Content list={list} selection={selection} />
      </section>
      {count > 0 && <Pager page={page} size={size} count={count} onChange={change} />}
    </>
  );
}

interface ContentProps {
  list: UseQueryResult<List<UserContact>>;
  selection: Selection;
}

function Content({ list, selection }: ContentProps) {
  if (list.isPending) return <TableSkeleton label={t("loading")} />;
  if (list.isError) {
    const requestId = list.error instanceof ApiError ? list.error.requestId : undefined;
    if (isTooFar(list.error)) return <Empty icon={<UsersRound size={30} aria-hidden="true" />} title={t("contacts.tooFar")} />;
    return <Problem text={explain(list.error)} requestId={requestId} retry={list.refetch} />;
  }
  if (list.data.resource.length === 0) {
    return (
      <Empty
        icon={<UsersRound size={30} aria-hidden="true" />}
        title={t("noDataFound")}
        action={
          <Button component={Link} to="/dashboard/main/search" variant="default">
            {t("contacts.findOne")}
          </Button>
        }
      />
    );
  }
  return <ContactsTable rows={list.data.resource} selection={selection} />;
}

/** Also a search leafs no further than the server goes. */
const isTooFar = (error: Error) => error instanceof TooFar || (error instanceof ApiError && error.status === 422 && "offset" in fieldErrors(error));

function SearchBox({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const search = useDebouncedCallback(onSearch, DEBOUNCE_MS);
  return (
    <TextInput
      className={classes.search}
      size="sm"
      aria-label={t("contacts.searchLabel")}
      placeholder={t("contacts.searchPlaceholder")}
      leftSection={<Search size={16} aria-hidden="true" />}
      value={typed}
      maxLength={100}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        search(event.currentTarget.value.trim());
      }}
    />
  );
}

export { MyContactsScreen as Component };
