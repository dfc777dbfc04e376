/** Adds people to one's own or a team list, which can be created here. The message links to the list. */
import { Checkbox, Group, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { toastWithAction } from "../../../shared/toasts";
import { explain } from "../../api/explain";
import { STALE } from "../../api/keys";
import { contactLists } from "../../api/people";
import { useTableWrite } from "../../api/tables";
import type { ContactList } from "../../api/types";
import { BusyButton } from "../../components/ui/BusyButton";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { Form } from "../../components/ui/Form";
import { t } from "../../lib/i18n.people";

const NEW = "0";
/** The most people that one request adds. */
const PORTION = 100;

interface Props {
  urls: readonly string[];
  onClose: () => void;
  onDone: () => void;
}

export default function ListDialog({ urls, onClose, onDone }: Props) {
  const navigate = useNavigate();
  const lists = useQuery(contactLists).data?.resource ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const create = useTableWrite<ContactList>("contactlist", { method: "POST", stale: STALE.lists });
  const add = useTableWrite("contactlistitem", { method: "POST", stale: STALE.lists });
  const listid = chosen ?? String(lists[0]?.listid ?? NEW);
  const error = create.error ?? add.error;

  const submit = async () => {
    const list = listid === NEW ? (await create.mutateAsync({ name: name.trim(), shared: shared ? 1 : 0 }))[0] : lists.find((one) => String(one.listid) === listid);
    if (!list) return;
    for (let at = 0; at < urls.length; at += PORTION) {
      // One after the other, so that the newest people of the list stay in the order of the selection.
      // eslint-disable-next-line no-await-in-loop
      await add.mutateAsync(urls.slice(at, at + PORTION).map((linkedinurl) => ({ listid: list.listid, linkedinurl })));
    }
    toastWithAction(t("people.listedOn", { count: urls.length, name: list.name }), t("people.openList"), () => void navigate(`/dashboard/main/lists/${list.listid}`));
    onDone();
  };
  return (
    <Dialog opened onClose={onClose} title={t("people.toList")}>
      <Form gap="sm" onSubmit={() => submit().catch(() => undefined)}>
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
        <Group justify="end">
          <BusyButton type="submit" busy={create.isPending || add.isPending} disabled={listid === NEW && name.trim() === ""}>
            {t("people.addCount", { count: urls.length })}
          </BusyButton>
        </Group>
      </Form>
    </Dialog>
  );
}
