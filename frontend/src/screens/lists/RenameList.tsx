/** Changes the name of a list. */
import { Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { useChangeList } from "../../api/contactlists";
import { explain } from "../../api/explain";
import type { ContactList } from "../../api/types";
import { BusyButton } from "../../components/ui/BusyButton";
import { Dialog } from "../../components/ui/Dialog";
import { FormAlert } from "../../components/ui/FormAlert";
import { Form } from "../../components/ui/Form";
import { t } from "../../lib/i18n.people";

export function RenameList({ list, onClose }: { list: ContactList; onClose: () => void }) {
  const [name, setName] = useState(list.name);
  const change = useChangeList();
  return (
    <Dialog opened onClose={onClose} title={t("people.rename")}>
      <Form gap="sm" onSubmit={() => change.mutate({ listid: list.listid, name: name.trim() }, { onSuccess: onClose })}>
        <FormAlert text={change.error && explain(change.error)} />
        <TextInput data-autofocus label={t("people.listName")} value={name} maxLength={100} onChange={(event) => setName(event.currentTarget.value)} />
        <Group justify="end">
          <BusyButton type="submit" busy={change.isPending} disabled={name.trim() === ""}>
            {t("save")}
          </BusyButton>
        </Group>
      </Form>
    </Dialog>
  );
}
