/** One list: its people with their values, what is left to reveal, its name and its readers. */
import { Button, Menu } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Ellipsis, Eye, FileDown, Pencil, Trash2, UserMinus, UsersRound } from "lucide-react";
import { Suspense, lazy, useState } from "react";
import { Link, Navigate, useNavigate, useParams, useSearchParams } from "react-router";
import { toast } from "../../../shared/toasts";
import { useAccount } from "../../api/account";
import { useChangeList, useDeleteList, useTakeOff } from "../../api/contactlists";
import { explain, problemOf } from "../../api/explain";
import { type Known, type ListPart, type Listed, MOST_REVEALED, contactLists, listPeople } from "../../api/people";
import type { ContactList } from "../../api/types";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { BusyButton } from "../../components/ui/BusyButton";
import { Confirm } from "../../components/ui/Confirm";
import type { Column } from "../../components/ui/DataTable";
import { FilterChip } from "../../components/ui/FilterChip";
import { Page } from "../../components/ui/Page";
import { Pager } from "../../components/ui/Pager";
import { Toolbar } from "../../components/ui/Toolbar";
import { usePicked } from "../../components/usePicked";
import { briefDayText } from "../../lib/dates";
import { SearchBox } from "../../components/ui/SearchBox";
import { t } from "../../lib/i18n.people";
import { lastPage, pageNumber, pageSize } from "../../lib/paging";
import { TwoLines } from "../person/PersonCells";
import { PeopleTable, type Purchase } from "../person/PeopleTable";
import { RenameList } from "./RenameList";

const ListsDialog = lazy(() => import("../peoplesearch/ListsDialog"));

const TYPE_MS = 300;
const ORDERS = ["newest", "oldest", "name", "-name", "company", "-company"] as const;
type Order = (typeof ORDERS)[number];
const rejected = (error: unknown) => toast(explain(error), "bad");

const ADDED: readonly Column<Listed>[] = [
  { key: "added", head: t("people.addedOn"), sort: "newest", cell: ({ createdon, addedby }) => <TwoLines first={briefDayText(createdon)} second={addedby ?? ""} /> },
];

const NOTED: readonly Column<Listed>[] = [
  { key: "notes", head: t("people.tagsAndNote"), wraps: true, cell: ({ tags, note }) => <TwoLines first={tags.join(", ")} second={note} /> },
  ...ADDED,
];

export function ListScreen() {
  const listid = Number(useParams()["listid"]);
  const lists = useQuery(contactLists);
  const list = lists.data?.resource.find((one) => one.listid === listid);
  if (lists.isSuccess && !list) {
    return (
      <Page title={t("people.lists")}>
        <Empty card title={t("people.noSuchList")} action={<Button component={Link} to="/dashboard/main/lists" variant="default">{t("people.lists")}</Button>} />
      </Page>
    );
  }
  return <People key={listid} listid={listid} list={list} />;
}

function People({ listid, list }: { listid: number; list: ContactList | undefined }) {
  const [params, setParams] = useSearchParams();
  const order = ORDERS.find((one) => one === params.get("order")) ?? "newest";
  const part: ListPart = { listid, text: params.get("search") ?? "", revealed: params.get("left") === "1" ? false : null, order };
  const size = pageSize(params.get("size"));
  const page = pageNumber(params.get("page"));
  const people = useQuery(listPeople({ ...part, page, size }));
  const queries = useQueryClient();
  const count = people.data?.meta.count ?? 0;
  const picked = usePicked<Known>(({ linkedinurl }) => linkedinurl);
  const [buying, setBuying] = useState<Purchase | null>(null);
  const [saving, setSaving] = useState(false);
  const takeOff = useTakeOff();

  const change = (values: Record<string, string>) =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        next.delete("page");
        for (const [name, value] of Object.entries(values)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  const remove = (rows: readonly Listed[]) =>
    takeOff.mutate(rows.map(({ itemid }) => itemid), {
      onSuccess: () => {
        picked.clear();
        toast(t("people.takenOff", { count: rows.length, name: list?.name ?? "" }));
      },
      onError: rejected,
    });
  /** The people that have something left to reveal, as many as one purchase may have. */
  const revealRest = async () => {
    try {
      const { resource } = await queries.fetchQuery(listPeople({ listid, text: "", revealed: false, order, page: 1, size: MOST_REVEALED }));
      if (resource.length === 0) toast(t("people.nothingLeft"), "plain");
      else setBuying({ chosen: { linkedinurls: resource.map(({ linkedinurl }) => linkedinurl) }, count: resource.length });
    } catch (error) {
      rejected(error);
    }
  };
  const rows = people.data?.resource;
  const last = lastPage(count, size);
  if (people.isSuccess && page > last) return <Navigate to={`?${new URLSearchParams({ ...Object.fromEntries(params), page: String(last) })}`} replace />;
  return (
    <Page
      title={list?.name ?? t("people.list")}
      back={{ to: "/dashboard/main/lists", text: t("people.lists") }}
      lead={<p role="status">{people.isSuccess && t("people.count", { count })}</p>}
      actions={
        <>
          <Button variant="default" size="sm" leftSection={<Eye size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => void revealRest()}>
            {t("people.revealRest")}
          </Button>
          <Button variant="default" size="sm" leftSection={<FileDown size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => setSaving(true)}>
            {t("people.importExport")}
          </Button>
          {list && <ListMenu list={list} />}
        </>
      }
    >
      <Toolbar label={t("people.filters")}>
        <SearchBox delay={TYPE_MS} w={{ base: "100%", sm: 280 }} label={t("people.searchList")} text={part.text ?? ""} onSearch={(search) => change({ search })} />
        <FilterChip pressed={part.revealed === false} onChange={(on) => change({ left: on ? "1" : "" })}>
          {t("people.left")}
        </FilterChip>
      </Toolbar>
      <ListState list={people} rows={rows} explain={problemOf} skeleton={{ lines: 8 }} empty={<Nothing filtered={part.text !== "" || part.revealed === false} onImport={() => setSaving(true)} />}>
        {(found) => (
          <PeopleTable
            label={list?.name ?? t("people.list")}
            rows={found}
            picked={picked}
            sort={{ by: order.replace("-", "").replace("oldest", "newest"), down: order.startsWith("-") || order === "newest" }}
            onSort={(by) => change({ order: nextOrder(order, by) })}
            more={found.some(({ tags, note }) => tags.length > 0 || note) ? NOTED : ADDED}
            buying={buying}
            onBuying={setBuying}
            onExport={() => setSaving(true)}
            actions={(ticked) => (
              <BusyButton size="sm" variant="default" busy={takeOff.isPending} leftSection={<UserMinus size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => remove(ticked)}>
                {t("people.takeOff")}
              </BusyButton>
            )}
            drawer={(row, close) => (
              <Button
                variant="subtle"
                color="red"
                size="sm"
                w="fit-content"
                leftSection={<UserMinus size={16} strokeWidth={1.75} aria-hidden="true" />}
                onClick={() => {
                  close();
                  remove([row]);
                }}
              >
                {t("people.takeOff")}
              </Button>
            )}
            foot={<Pager page={page} size={size} count={count} onChange={({ page: to, size: next }) => change({ page: to > 1 ? String(to) : "", ...(next && { size: String(next) }) })} />}
          />
        )}
      </ListState>
      <Suspense>{saving && <ListsDialog listid={listid} onClose={() => setSaving(false)} />}</Suspense>
    </Page>
  );
}

const FLIPPED: Record<string, Order> = { newest: "oldest", name: "-name", company: "-company" };
const nextOrder = (order: Order, by: string): string => (order === by ? (FLIPPED[by] ?? by) : by === "newest" ? "" : by);

function Nothing({ filtered, onImport }: { filtered: boolean; onImport: () => void }) {
  return (
    <Empty
      card
      icon={<UsersRound size={24} strokeWidth={1.75} aria-hidden="true" />}
      title={t("noDataFound")}
      text={filtered ? "" : t("people.emptyList")}
      action={
        !filtered && (
          <Button variant="default" onClick={onImport}>
            {t("people.importText")}
          </Button>
        )
      }
    />
  );
}

/** Its creator alone may rename, share or delete a list. */
function ListMenu({ list }: { list: ContactList }) {
  const { appuserid } = useAccount();
  const navigate = useNavigate();
  const change = useChangeList();
  const remove = useDeleteList();
  const [renaming, setRenaming] = useState(false);
  const [deleting, setDeleting] = useState(false);
  if (list.appuserid !== appuserid) return null;
  const share = () =>
    change.mutate({ listid: list.listid, shared: list.shared ? 0 : 1 }, { onSuccess: () => toast(t(list.shared ? "people.unshared" : "people.nowShared")), onError: rejected });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" size="sm" px="xs" aria-label={t("people.listActions", { name: list.name })}>
            <Ellipsis size={16} strokeWidth={1.75} aria-hidden="true" />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Pencil size={16} aria-hidden="true" />} onClick={() => setRenaming(true)}>
            {t("people.rename")}
          </Menu.Item>
          <Menu.Item leftSection={<UsersRound size={16} aria-hidden="true" />} onClick={share}>
            {t(list.shared ? "people.unshare" : "people.shared")}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<Trash2 size={16} aria-hidden="true" />} onClick={() => setDeleting(true)}>
            {t("people.deleteList")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {renaming && <RenameList list={list} onClose={() => setRenaming(false)} />}
      <Confirm
        opened={deleting}
        onClose={() => setDeleting(false)}
        title={t("people.deleteList")}
        text={t("people.deleteListText", { name: list.name })}
        confirm={t("people.deleteList")}
        danger
        busy={remove.isPending}
        onConfirm={() => remove.mutate(list.listid, { onSuccess: () => void navigate("/dashboard/main/lists"), onError: rejected })}
      />
    </>
  );
}

export { ListScreen as Component };
