/** The webhooks, each with a menu: test, secret, edit, pause, delete. */
import { ActionIcon, Badge, Menu } from "@mantine/core";
import { Ellipsis } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { toast } from "../../../shared/toasts";
import { explain } from "../../api/explain";
import type { Webhook } from "../../api/types";
import { useDeleteWebhook, useEditWebhook, usePauseWebhook, useTestWebhook } from "../../api/webhooks";
import history from "../../components/ListTable.module.css";
import { Confirm } from "../../components/ui/Confirm";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { Dialog } from "../../components/ui/Dialog";
import { t } from "../../lib/i18n.api";
import { kindText, outcomeText } from "./kinds";
import { Secret } from "./Secret";
import { WebhookForm } from "./WebhookForm";
import classes from "./Webhooks.module.css";

type Ask = (what: "edit" | "secret" | "delete", webhook: Webhook) => void;

const eventsText = ({ events }: Webhook): string => events.map(kindText).join(", ");

function columnsOf(ask: Ask): Column<Webhook>[] {
  return [
    { key: "url", head: t("webhooks.url"), wraps: true, cell: ({ url }) => <span className={classes.url}>{url}</span> },
    { key: "events", head: t("webhooks.events"), wraps: true, cell: eventsText },
    { key: "state", head: t("webhooks.state"), cell: State },
    { key: "actions", head: t("webhooks.actions"), align: "end", cell: (webhook) => <Actions webhook={webhook} ask={ask} /> },
  ];
}

function State({ isactive }: Webhook) {
  return (
    <Badge variant="light" color={isactive ? undefined : "gray"}>
      {t(isactive ? "webhooks.active" : "webhooks.paused")}
    </Badge>
  );
}

export function WebhookTable({ webhooks }: { webhooks: Webhook[] }) {
  const [asked, setAsked] = useState<{ what: Parameters<Ask>[0]; webhook: Webhook } | null>(null);
  const columns = useMemo(() => columnsOf((what, webhook) => setAsked({ what, webhook })), []);
  const close = () => setAsked(null);
  return (
    <>
      <DataTable
        label={t("settings.webhooks")}
        columns={columns}
        rows={webhooks}
        rowKey={({ webhookid }) => webhookid}
        phone={(webhook) => (
          <div className={history.phone}>
            <span className={classes.url}>{webhook.url}</span>
            <Actions webhook={webhook} ask={(what) => setAsked({ what, webhook })} />
            <span>{eventsText(webhook)}</span>
            <State {...webhook} />
          </div>
        )}
      />
      {asked?.what === "edit" && <Edit webhook={asked.webhook} onClose={close} />}
      {asked?.what === "secret" && (
        <Dialog opened onClose={close} title={t("webhooks.secretTitle")}>
          <Secret secret={asked.webhook.secret} onClose={close} />
        </Dialog>
      )}
      {asked?.what === "delete" && <Remove webhook={asked.webhook} onClose={close} />}
    </>
  );
}

const failed = (error: unknown) => toast(explain(error), "bad");

function Actions({ webhook, ask }: { webhook: Webhook; ask: Ask }) {
  const { webhookid, url, isactive } = webhook;
  const target = useRef<HTMLButtonElement>(null);
  const test = useTestWebhook();
  const change = usePauseWebhook();
  const send = () =>
    test.mutate(
      { webhookid },
      {
        onSuccess: ({ delivered, lastcode, reason, problem }) =>
          delivered
            ? toast(t("webhooks.tested", { code: String(lastcode) }))
            : toast(t("webhooks.testFailed", { error: outcomeText({ lastcode, reason, error: problem }) }), "bad"),
        onError: failed,
      },
    );
  const pause = () => change.mutate({ webhookid, isactive: isactive ? 0 : 1 }, { onSuccess: () => toast(t("webhooks.saved")), onError: failed });
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon ref={target} variant="subtle" color="gray" loading={test.isPending} aria-label={t("webhooks.actionsOf", { url })}>
          <Ellipsis size={16} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={send}>{t("webhooks.test")}</Menu.Item>
        <Menu.Item onClick={() => ask("secret", webhook)}>{t("webhooks.secret")}</Menu.Item>
        <Menu.Item onClick={() => ask("edit", webhook)}>{t("webhooks.edit")}</Menu.Item>
        <Menu.Item onClick={pause}>{t(isactive ? "webhooks.pause" : "webhooks.resume")}</Menu.Item>
        <Menu.Item color="red" onClick={() => ask("delete", webhook)}>
          {t("webhooks.remove")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Edit({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const change = useEditWebhook();
  return (
    <Dialog opened onClose={onClose} title={t("webhooks.editTitle")}>
      <WebhookForm
        initial={webhook}
        submit={t("webhooks.save")}
        send={change}
        onClose={onClose}
        onSubmit={(values, proof) =>
          change.mutate(
            { record: { webhookid: webhook.webhookid, ...values }, proof },
            {
              onSuccess: () => {
                toast(t("webhooks.saved"));
                onClose();
              },
            },
          )
        }
      />
    </Dialog>
  );
}

function Remove({ webhook: { webhookid, url }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const remove = useDeleteWebhook();
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t("webhooks.removeTitle")}
      text={t("webhooks.removeText", { url })}
      confirm={t("delete")}
      danger
      busy={remove.isPending}
      onConfirm={() =>
        remove.mutate(webhookid, {
          onSuccess: () => toast(t("webhooks.removed")),
          onError: (error) => toast(explain(error), "bad"),
          onSettled: onClose,
        })
      }
    />
  );
}
