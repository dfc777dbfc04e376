/** The events that were sent, or wait, newest first. One can be sent again. */
import { Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { toast } from "../../../shared/toasts";
import { explain, problemOf } from "../../api/explain";
import type { Webhook, WebhookDelivery } from "../../api/types";
import { DELIVERY_PAGE, deliveries, useResend } from "../../api/webhooks";
import { ListTable } from "../../components/ListTable";
import { BusyButton } from "../../components/ui/BusyButton";
import type { Column } from "../../components/ui/DataTable";
import { momentText } from "../../lib/dates";
import { t } from "../../lib/i18n.api";
import { numberText } from "../../lib/locale";
import { kindText, outcomeText } from "./kinds";
import classes from "./Webhooks.module.css";

const COLORS = { waiting: "gray", delivered: undefined, failed: "red" } as const;

function columnsOf(urlOf: (delivery: WebhookDelivery) => string): Column<WebhookDelivery>[] {
  return [
    { key: "time", head: t("webhooks.time"), cell: ({ createdon }) => momentText(createdon) },
    { key: "event", head: t("webhooks.event"), cell: ({ event }) => kindText(event) },
    { key: "url", head: t("webhooks.url"), wraps: true, cell: (delivery) => <span className={classes.url}>{urlOf(delivery)}</span> },
    { key: "state", head: t("webhooks.state"), cell: State },
    { key: "attempts", head: t("webhooks.attempts"), align: "end", cell: ({ attempts }) => numberText(attempts) },
    { key: "answer", head: t("webhooks.answer"), wraps: true, cell: outcomeText },
    { key: "actions", head: t("webhooks.actions"), align: "end", cell: (delivery) => <Resend delivery={delivery} /> },
  ];
}

function State({ status }: WebhookDelivery) {
  return (
    <Badge variant="light" color={COLORS[status]}>
      {t(`webhooks.${status}`)}
    </Badge>
  );
}

export function Deliveries({ webhooks }: { webhooks: Webhook[] }) {
  const [page, setPage] = useState(1);
  const list = useQuery(deliveries(page));
  const columns = useMemo(() => {
    const urls = new Map(webhooks.map(({ webhookid, url }) => [webhookid, url]));
    return columnsOf(({ webhookid }) => urls.get(webhookid) ?? "");
  }, [webhooks]);
  return (
    <div className={classes.deliveries}>
      <div>
        <h2>{t("webhooks.deliveries")}</h2>
        <p>{t("webhooks.deliveriesText")}</p>
      </div>
      {list.data?.meta?.count === 0 ? (
        <p>{t("webhooks.noDeliveries")}</p>
      ) : (
        <ListTable
          label={t("webhooks.deliveries")}
          list={list}
          explain={problemOf}
          columns={columns}
          rowKey={({ deliveryid }) => deliveryid}
          pages={{ page, size: DELIVERY_PAGE, onPage: setPage }}
          phone={(delivery) => (
            <>
              <strong>{kindText(delivery.event)}</strong>
              <State {...delivery} />
              <span>{momentText(delivery.createdon)}</span>
              <span>
                <Resend delivery={delivery} />
              </span>
              <span className={classes.outcome}>{outcomeText(delivery)}</span>
            </>
          )}
        />
      )}
    </div>
  );
}

function Resend({ delivery: { deliveryid, status, event, createdon } }: { delivery: WebhookDelivery }) {
  const resend = useResend();
  if (status === "waiting") return null;
  return (
    <BusyButton
      size="compact-sm"
      variant="default"
      busy={resend.isPending}
      aria-label={t("webhooks.resendOf", { event: kindText(event), time: momentText(createdon) })}
      onClick={() => resend.mutate({ deliveryid }, { onSuccess: () => toast(t("webhooks.resent")), onError: (error) => toast(explain(error), "bad") })}
    >
      {t("webhooks.resend")}
    </BusyButton>
  );
}
