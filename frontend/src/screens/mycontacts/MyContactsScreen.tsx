/** The contacts revealed by this user. The state of the list is kept in the address. */
import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { FileSpreadsheet, ListPlus, UsersRound } from "lucide-react";
import { Suspense, lazy, useDeferredValue, useEffect, useState } from "react";
import { config } from "../../api/config";
import { account, isOwner, useAccount } from "../../api/account";
import { TooFar, contactsQuery, myContacts, myTags } from "../../api/contacts";
import { ApiError } from "../../api/errors";
import { fieldErrors, problemOf } from "../../api/explain";
import { team } from "../../api/team";
import type { List, UserContact } from "../../api/types";
import { CopyAs } from "../../components/CopyAs";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { BusyButton } from "../../components/ui/BusyButton";
import { ButtonLink } from "../../components/ui/ButtonLink";
import { Page } from "../../components/ui/Page";
import { t } from "../../lib/i18n.dashboard";
import { lastPage } from "../../lib/paging";
import type { ScreenHandle } from "../../lib/screenhandle";
import { columnsOf } from "./columns";
import { ContactsTable, votesOf } from "./ContactsTable";
import { Filters } from "./Filters";
import classes from "./MyContacts.module.css";
import { SelectionBar } from "./SelectionBar";
import { useExport } from "./useExport";
import { type ChangeList, type ListParams, NO_FILTER, TEAM, filterOf, isFiltered, readList, useIsMine, useListParams } from "./useListParams";
import { type Removal, useRemoval } from "./useRemoval";
import { type Selection, useSelection } from "./useSelection";

const ContactDrawer = lazy(() => import("./ContactDrawer"));
const ListDialog = lazy(() => import("../person/ListDialog"));

const NO_ROWS: UserContact[] = [];

const listOf = (shown: ListParams, client: number) => myContacts({ ...shown, filter: filterOf(shown, client) });

/** The list and its filter choices, then the user's votes on its values. */
export const handle: ScreenHandle = {
  preload: async (queries, params) => {
    const shown = readList(params);
    // Only the account's list has to wait for the account.
    const me = queries.ensureQueryData(account);
    const list = listOf(shown, shown.by === TEAM ? (await me).clientid : 0);
    const members = async () => isOwner(await me) && queries.prefetchQuery(team);
    await Promise.all([queries.prefetchQuery(list), queries.prefetchQuery(myTags), members()]);
    const rows = queries.getQueryData(list.queryKey)?.resource ?? NO_ROWS;
    if (rows.length > 0) void queries.prefetchQuery(votesOf(rows));
  },
};

export function MyContactsScreen() {
  const [shown, change] = useListParams();
  const { page, size, text, order } = shown;
  const { clientid } = useAccount();
  const filter = filterOf(shown, clientid);
  const list = useQuery(listOf(shown, clientid));
  const removal = useRemoval(list.data?.resource ?? NO_ROWS);
  const { rows } = removal;
  const count = list.data?.meta?.count ?? 0;
  const isMine = useIsMine(shown);
  const selection = useSelection(rows, JSON.stringify([text, filter]));
  const file = useExport();
  const isEmpty = selection.rows.length === 0 && !selection.all;
  // The first tick is drawn before the bar that it opens.
  const wasEmpty = useDeferredValue(isEmpty);
  const nothing = isEmpty || wasEmpty;

  const [listing, setListing] = useState(false);
  const last = lastPage(count, size);
  const isBeyond = list.isSuccess && !list.isPlaceholderData && page > last;
  useEffect(() => {
    if (isBeyond) change({ page: last });
  }, [isBeyond, last, change]);

  const save = () => file.run(selection, { ...filter, text }, order, shown.by === 0 ? undefined : clientid);
  const exportButton = (
    <BusyButton
      size="sm"
      variant={nothing ? "default" : "filled"}
      leftSection={<FileSpreadsheet size={16} strokeWidth={1.75} aria-hidden="true" />}
      disabled={nothing}
      busy={file.busy}
      onClick={save}
    >
      {t("contacts.export")}
    </BusyButton>
  );
  // It keeps its place, so that the list does not move when the first row is ticked; on a phone it is in the bar below.
  const narrow = useMediaQuery("(width < 640px)");
  const ends = (
    <>
      <CopyAs dataset={config().dataset} table="usercontact" query={contactsQuery({ ...shown, filter })} />
      {!(narrow && !nothing) && exportButton}
    </>
  );
  return (
    <Page title={t("contacts.title")} lead={<p role="status">{list.isSuccess && t("contacts.count", { count })}</p>}>
      <Filters shown={shown} change={change} end={ends} />
      <section className={classes.list} aria-busy={list.isFetching} data-stale={list.isPlaceholderData || undefined}>
        <Content list={list} shown={shown} change={change} selection={selection} removal={removal} onExport={save} />
      </section>
      {!nothing && (
        <SelectionBar selection={selection} page={rows} count={count}>
          {narrow && exportButton}
          {!selection.all && (
            <Button size="sm" variant="default" leftSection={<ListPlus size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => setListing(true)}>
              {t("contacts.toList")}
            </Button>
          )}
        </SelectionBar>
      )}
      <Suspense>{listing && <ListDialog urls={selection.rows.map(({ linkedinurl }) => linkedinurl)} onClose={() => setListing(false)} onDone={() => setListing(false)} />}</Suspense>
      <Opened contactid={shown.contact} rows={rows} isMine={isMine} change={change} onRemove={removal.remove} />
    </Page>
  );
}

interface OpenedProps {
  contactid: number;
  rows: UserContact[];
  isMine: (row: UserContact) => boolean;
  change: ChangeList;
  onRemove: Removal["remove"];
}

/** The drawer, fetched when it is first opened; it stays while it closes. */
function Opened({ contactid, rows, isMine, change, onRemove }: OpenedProps) {
  const [wasOpen, setWasOpen] = useState(false);
  if (contactid > 0 && !wasOpen) setWasOpen(true);
  if (!wasOpen) return null;
  return (
    <Suspense>
      <ContactDrawer
        contactid={contactid}
        rows={rows}
        isMine={isMine}
        onChange={(contact) => change({ contact })}
        onRemove={(row) => {
          change({ contact: 0 });
          onRemove(row);
        }}
      />
    </Suspense>
  );
}

interface ContentProps {
  list: UseQueryResult<List<UserContact>>;
  shown: ListParams;
  change: ChangeList;
  selection: Selection;
  removal: Removal;
  onExport: () => void;
}

function Content({ list, shown, change, selection, removal, onExport }: ContentProps) {
  if (isTooFar(list.error)) return <Empty icon={<UsersRound size={24} strokeWidth={1.75} aria-hidden="true" />} title={t("contacts.tooFar")} card />;
  return (
    <ListState
      list={list}
      rows={list.data && removal.rows}
      explain={problemOf}
      skeleton={{ lines: 8, columns: columnsOf(shown.hide, shown.compact), ticks: true, faces: true }}
      empty={<Nothing shown={shown} change={change} />}
    >
      {(rows) => <ContactsTable rows={rows} count={list.data?.meta?.count ?? 0} shown={shown} change={change} selection={selection} removal={removal} onExport={onExport} />}
    </ListState>
  );
}

function Nothing({ shown, change }: { shown: ListParams; change: ChangeList }) {
  return (
    <Empty
      card
      icon={<UsersRound size={24} strokeWidth={1.75} aria-hidden="true" />}
      title={t("noDataFound")}
      text={isFiltered(shown) ? "" : t("contacts.noneText")}
      action={
        isFiltered(shown) ? (
          <Button variant="default" onClick={() => change(NO_FILTER)}>
            {t("contacts.clearSearch")}
          </Button>
        ) : <ButtonLink to="/dashboard/main/search" variant="default">{t("contacts.findOne")}</ButtonLink>
      }
    />
  );
}

/** Searches, too, cannot be paged beyond the server's limit. */
const isTooFar = (error: Error | null) => error instanceof TooFar || (error instanceof ApiError && error.status === 422 && "offset" in fieldErrors(error));

export { MyContactsScreen as Component };
