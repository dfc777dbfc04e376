/** The live keys, with copying, editing and deleting each. */
import { ActionIcon, Table } from "@mantine/core";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useChangeKey } from "../../api/apikeys";
import { explain } from "../../api/explain";
import type { ApiKey } from "../../api/types";
import { CopyKey } from "../../components/CopyKey";
import { CardTable } from "../../components/ui/CardTable";
import { Confirm } from "../../components/ui/Confirm";
import { copyText } from "../../lib/clipboard";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.dashboard";
import { toast } from "../../stores/toasts";
import classes from "./Api.module.css";
import { EditKey } from "./EditKey";

const COLUMNS = [t("api.key"), t("api.purpose"), t("api.created"), t("api.lastused"), t("api.actions")];

interface Asked {
  action: "edit" | "delete";
  key: ApiKey;
  open: boolean;
}

async function copy(key: string): Promise<void> {
  await copyText(key);
  toast(t("copied"));
}

export function KeyTable({ keys }: { keys: ApiKey[] }) {
  // The key stays drawn while its dialog fades out.
  const [asked, setAsked] = useState<Asked | null>(null);
  const remove = useChangeKey();
  const ask = (action: Asked["action"], key: ApiKey) => setAsked({ action, key, open: true });
  const close = () => setAsked((old) => old && { ...old, open: false });

  const removeKey = () =>
    asked &&
    remove.mutate(
      { keyid: asked.key.keyid, isdeleted: 1, isactive: 0 },
      {
        onSuccess: () => toast(t("api.deleteDone")),
        onError: (error) => toast(explain(error), "bad"),
        onSettled: close,
      },
    );

  return (
    <>
      <CardTable minWidth={660} label={t("api.keys")} columns={COLUMNS}>
        {keys.map((key) => (
          <Table.Tr key={key.keyid}>
            <Table.Td>
              <CopyKey apikey={key.apikey} onCopy={() => void copy(key.apikey)} />
            </Table.Td>
            <Table.Td className={classes.purpose}>{key.purpose}</Table.Td>
            <Table.Td className={classes.nowrap}>{dayText(key.createdon)}</Table.Td>
            <Table.Td className={classes.nowrap}>{dayText(key.lastused) || t("api.never")}</Table.Td>
            <Table.Td className={classes.nowrap}>
              <ActionIcon variant="subtle" color="gray" aria-label={t("api.editOf", { purpose: key.purpose })} onClick={() => ask("edit", key)}>
                <Pencil size={16} aria-hidden="true" />
              </ActionIcon>
              <ActionIcon variant="subtle" color="red" aria-label={t("api.deleteOf", { purpose: key.purpose })} onClick={() => ask("delete", key)}>
                <Trash2 size={17} aria-hidden="true" />
              </ActionIcon>
            </Table.Td>
          </Table.Tr>
        ))}
      </CardTable>
      {asked?.action === "edit" && <EditKey key={asked.key.keyid} apikey={asked.key} opened={asked.open} onClose={close} />}
      {asked?.action === "delete" && (
        <Confirm
          opened={asked.open}
          onClose={close}
          title={t("api.deleteTitle")}
          text={t("api.deleteText", { purpose: asked.key.purpose })}
          confirm={t("delete")}
          cancel={t("cancel")}
          danger
          busy={remove.isPending}
          onConfirm={removeKey}
        />
      )}
    </>
  );
}
