/** Adds people to one's own or a team list, which can be created here. */
import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "../../../shared/toasts";
import { explain } from "../../api/explain";
import { contactLists } from "../../api/people";
import { useTableWrite } from "../../api/tables";
import type { ContactList } from "../../api/types";
import { BusyButton } from "../../components/ui/BusyButton";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { t } from "../../lib/i18n.people";
import classes from "./PeopleSearch.module.css";

const NEW = "0";

export default function ListDialog({ urls, onClose, onDone }: { urls: readonly string[]; onClose: () => void; onDone: () => void }) {
  const lists = useQuery(contactLists).data?.resource ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const create = useTableWrite<ContactList>("contactlist", { method: "POST" });
  const add = useTableWrite("contactlistitem", { method: "POST" });
  const listid = chosen ?? String(lists[0]?.listid ?? NEW);
  const error = create.error ?? add.error;

  const submit = async () => {
    const id = listid === NEW ? (await create.mutateAsync({ name: name.trim(), shared: shared ? 1 : 0 }))[0]?.listid : Number(listid);
    await add.mutateAsync(urls.map((linkedinurl) => ({ listid: id, linkedinurl })));
    toast(t("people.listed", { count: urls.length }));
    onDone();
  };
  return (
    <Dialog opened onClose={onClose} title={t("people.toList")}>
      <form
        className={classes.dialog}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit().catch(() => undefined);
        }}
      >
        <FormAlert text={error && explain(error)} />
        <NativeSelect
          label={t("people.list")}
          data={[...lists.map((list) => ({ value: String(list.listid), label: list.name })), { value: NEW, label: t("people.newList") }]}
          value={listid}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        {listid === NEW && (
          <>
            <TextInput label={t("people.listName")} value={name} maxLength={100} onChange={(event) => setName(event.currentTarget.value)} />
            <Checkbox label={t("people.shared")} checked={shared} onChange={(event) => setShared(event.currentTarget.checked)} />
          </>
        )}
        <div className={classes.dialogFoot}>
          <BusyButton type="submit" busy={create.isPending || add.isPending} disabled={listid === NEW && name.trim() === ""}>
            {t("people.addCount", { count: urls.length })}
          </BusyButton>
        </div>
      </form>
    </Dialog>
  );
}
