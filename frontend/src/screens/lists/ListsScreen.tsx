/** The lists of the user and those that the team shares, each with its own address. */
import { Button, Checkbox, Group, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ListChecks, Plus } from "lucide-react";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { explain, problemOf } from "../../api/explain";
import { STALE } from "../../api/keys";
import { useAccount } from "../../api/account";
import { contactLists } from "../../api/people";
import { useTableWrite } from "../../api/tables";
import type { ContactList } from "../../api/types";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { BusyButton } from "../../components/ui/BusyButton";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { Page } from "../../components/ui/Page";
import { Form } from "../../components/ui/Form";
import { localDayText } from "../../lib/dates";
import { countText } from "../../lib/locale";
import { t } from "../../lib/i18n.people";
import { TwoLines } from "../person/PersonCells";
import classes from "./Lists.module.css";

const at = (listid: number) => `/dashboard/main/lists/${listid}`;

export function ListsScreen() {
  const lists = useQuery(contactLists);
  const me = useAccount();
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const columns: readonly Column<ContactList>[] = [
    { key: "name", head: t("people.list"), cell: ({ listid, name }) => <Link className={classes.link} to={at(listid)}>{name}</Link> },
    { key: "shared", head: t("people.readers"), cell: ({ shared, appuserid }) => readersOf(shared === 1, appuserid === me.appuserid) },
    { key: "people", head: t("bulk.people"), align: "end", cell: ({ people }) => countText(people) },
    { key: "created", head: t("people.created"), cell: ({ createdon }) => localDayText(createdon) },
  ];
  const create = (
    <Button variant="default" size="sm" leftSection={<Plus size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={() => setCreating(true)}>
      {t("people.newList")}
    </Button>
  );
  return (
    <Page title={t("people.lists")} lead={t("people.listsLead")} actions={create}>
      <ListState
        list={lists}
        rows={lists.data?.resource}
        explain={problemOf}
        skeleton={{ lines: 4 }}
        empty={<Empty card icon={<ListChecks size={24} strokeWidth={1.75} aria-hidden="true" />} title={t("people.noListsYet")} text={t("people.noLists")} action={<Button component={Link} to="/dashboard/main/peoplesearch" variant="default">{t("menu.peoplesearch")}</Button>} />}
      >
        {(rows) => <DataTable label={t("people.lists")} columns={columns} rows={rows} rowKey={({ listid }) => listid} onOpen={({ listid }) => void navigate(at(listid))} phone={phoneRow} />}
      </ListState>
      {creating && <NewList onClose={() => setCreating(false)} onCreated={(listid) => void navigate(at(listid))} />}
    </Page>
  );
}

const phoneRow = ({ listid, name, people }: ContactList) => <TwoLines first={<Link className={classes.link} to={at(listid)}>{name}</Link>} second={t("usage.peopleOf", { count: people ?? 0 })} />;

const readersOf = (isShared: boolean, isMine: boolean): string => (isShared ? (isMine ? t("people.sharedByYou") : t("people.sharedWithYou")) : t("people.onlyYou"));

function NewList({ onClose, onCreated }: { onClose: () => void; onCreated: (listid: number) => void }) {
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const create = useTableWrite<ContactList>("contactlist", { method: "POST", stale: STALE.lists });
  return (
    <Dialog opened onClose={onClose} title={t("people.newList")}>
      <Form gap="sm" onSubmit={() => create.mutate({ name: name.trim(), shared: shared ? 1 : 0 }, { onSuccess: ([list]) => list && onCreated(list.listid) })}>
        <FormAlert text={create.error && explain(create.error)} />
        <TextInput data-autofocus label={t("people.listName")} value={name} maxLength={100} onChange={(event) => setName(event.currentTarget.value)} />
        <Checkbox label={t("people.shared")} checked={shared} onChange={(event) => setShared(event.currentTarget.checked)} />
        <Group justify="end">
          <BusyButton type="submit" busy={create.isPending} disabled={name.trim() === ""}>
            {t("people.createList")}
          </BusyButton>
        </Group>
      </Form>
    </Dialog>
  );
}

export { ListsScreen as Component };
