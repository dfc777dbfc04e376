/** The active keys, each with copy, edit and delete. */
import { ActionIcon, Badge, Group } from "@mantine/core";
import { Pencil, RefreshCw, Trash2 } from "lucide-react";
import { Suspense, lazy, useMemo, useState } from "react";
import { toast } from "../../../shared/toasts";
import { useChangeKey } from "../../api/apikeys";
import { explain } from "../../api/explain";
import type { ApiKey, ApiUsage } from "../../api/types";
import { CopyKey } from "../../components/CopyKey";
import { Confirm } from "../../components/ui/Confirm";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { localDayText } from "../../lib/dates";
import { t } from "../../lib/i18n.api";
import { countText } from "../../lib/locale";
import classes from "./Api.module.css";
import { EditKey } from "./EditKey";

const RotateKey = lazy(() => import("./RotateKey"));

interface Asked {
  action: "edit" | "rotate" | "delete";
  key: ApiKey;
  open: boolean;
}

type Ask = (action: Asked["action"], key: ApiKey) => void;

type CallsOf = (key: ApiKey) => number | undefined;

function columnsOf(ask: Ask, callsOf: CallsOf): Column<ApiKey>[] {
  return [
    { key: "key", head: t("api.key"), cell: ({ apikey }) => <CopyKey apikey={apikey} onCopied={() => toast(t("copied"))} /> },
    { key: "purpose", head: t("api.purpose"), cell: (key) => <Purpose apikey={key} /> },
    { key: "created", head: t("api.created"), cell: ({ createdon }) => localDayText(createdon) },
    { key: "lastused", head: t("api.lastused"), cell: ({ lastused }) => localDayText(lastused) || t("api.never") },
    { key: "calls", head: t("api.callsMonth"), align: "end", cell: (key) => countText(callsOf(key)) },
    { key: "actions", head: t("api.actions"), align: "end", cell: (key) => <Actions apikey={key} ask={ask} /> },
  ];
}

/** `usage` is this month's use; undefined until it is known, and for plans without the API. */
export function KeyTable({ keys, usage }: { keys: ApiKey[]; usage: ApiUsage[] | undefined }) {
  // Keeps the key while its dialog fades out.
  const [asked, setAsked] = useState<Asked | null>(null);
  const remove = useChangeKey();
  const [ask, columns] = useMemo(() => {
    const opens: Ask = (action, key) => setAsked({ action, key, open: true });
    const calls = usage && new Map(usage.map(({ keyid, callcount }) => [keyid, callcount]));
    return [opens, columnsOf(opens, ({ keyid }) => calls && (calls.get(keyid) ?? 0))];
  }, [usage]);
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
      <DataTable
        label={t("api.keys")}
        columns={columns}
        rows={keys}
        rowKey={({ keyid }) => keyid}
        phone={(key) => (
          <div className={classes.phone}>
            <CopyKey apikey={key.apikey} onCopied={() => toast(t("copied"))} />
            <Actions apikey={key} ask={ask} />
            <Purpose apikey={key} />
            <span>
              {t("api.lastused")}: {localDayText(key.lastused) || t("api.never")}
            </span>
          </div>
        )}
      />
      {asked?.action === "edit" && <EditKey key={asked.key.keyid} apikey={asked.key} opened={asked.open} onClose={close} />}
      {asked?.action === "rotate" && (
        <Suspense fallback={null}>
          <RotateKey key={asked.key.keyid} apikey={asked.key} opened={asked.open} onClose={close} />
        </Suspense>
      )}
      {asked?.action === "delete" && (
        <Confirm
          opened={asked.open}
          onClose={close}
          title={t("api.deleteTitle")}
          text={t("api.deleteText", { purpose: asked.key.purpose })}
          confirm={t("delete")}
          danger
          busy={remove.isPending}
          onConfirm={removeKey}
        />
      )}
    </>
  );
}

function Purpose({ apikey: { purpose, istest } }: { apikey: ApiKey }) {
  return (
    <span className={classes.purpose} title={purpose}>
      {purpose}
      {istest === 1 && (
        <>
          {" "}
          <Badge component="span" color="gray" variant="light" size="sm">
            {t("api.testMark")}
          </Badge>
        </>
      )}
    </span>
  );
}

function Actions({ apikey, ask }: { apikey: ApiKey; ask: Ask }) {
  return (
    <Group component="span" display="inline-flex" align="stretch" wrap="nowrap" gap="var(--s-1)">
      <ActionIcon variant="subtle" color="gray" aria-label={t("api.editOf", { purpose: apikey.purpose })} onClick={() => ask("edit", apikey)}>
        <Pencil size={16} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" aria-label={t("api.rotateOf", { purpose: apikey.purpose })} onClick={() => ask("rotate", apikey)}>
        <RefreshCw size={16} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
      <ActionIcon variant="subtle" color="gray" aria-label={t("api.deleteOf", { purpose: apikey.purpose })} onClick={() => ask("delete", apikey)}>
        <Trash2 size={16} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
    </Group>
  );
}
