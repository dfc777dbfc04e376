/** The owner's webhooks: add, test, pause and delete them, and the deliveries of their events. */
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Plus, Webhook } from "lucide-react";
import { problemOf } from "../../api/explain";
import { webhooks } from "../../api/webhooks";
import { Empty } from "../../components/Empty";
import { ListState } from "../../components/ListState";
import { Page } from "../../components/ui/Page";
import { t } from "../../lib/i18n.api";
import { AddWebhook } from "./AddWebhook";
import { Deliveries } from "./Deliveries";
import { WebhookTable } from "./WebhookTable";

export function WebhooksScreen() {
  const list = useQuery(webhooks);
  const [adding, { open, close }] = useDisclosure();
  const add = (
    <Button leftSection={<Plus size={16} strokeWidth={1.75} aria-hidden="true" />} onClick={open}>
      {t("webhooks.add")}
    </Button>
  );
  const some = Boolean(list.data?.resource.length);
  return (
    <Page title={t("settings.webhooks")} lead={t("webhooks.lead")} actions={some && add}>
      <ListState
        list={list}
        rows={list.data?.resource}
        explain={problemOf}
        skeleton={{ lines: 2 }}
        empty={
          <Empty
            icon={<Webhook size={24} strokeWidth={1.75} aria-hidden="true" />}
            title={t("webhooks.none")}
            text={t("webhooks.noneText")}
            action={add}
            card
          />
        }
      >
        {(rows) => (
          <>
            <WebhookTable webhooks={rows} />
            <Deliveries webhooks={rows} />
          </>
        )}
      </ListState>
      {adding && <AddWebhook onClose={close} />}
    </Page>
  );
}

export { WebhooksScreen as Component };
