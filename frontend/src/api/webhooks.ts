/** The owner's webhooks, and the deliveries of their events. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { useScript } from "./scripts";
import { rows, useProvedWrite, useTableDelete, useTableWrite } from "./tables";
import type { Webhook } from "./types";

export const DELIVERY_PAGE = 25;
const WAITING_MS = 10_000;

export const webhooks = rows("webhook", { order: "webhookid" });

/** A page of deliveries, newest first. Refetched while some of them wait. */
export const deliveries = (page: number) =>
  queryOptions({
    ...rows("webhookdelivery", {
      fields: "deliveryid,webhookid,event,status,attempts,lastcode,reason,error,createdon",
      order: "deliveryid DESC",
      limit: DELIVERY_PAGE,
      offset: (page - 1) * DELIVERY_PAGE,
      include_count: true,
    }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.resource.some(({ status }) => status === "waiting") ? WAITING_MS : false),
  });

export const useAddWebhook = () => useProvedWrite<Webhook>("webhook", { method: "POST" });
/** Changes the address or the events. A new address needs a proof. */
export const useEditWebhook = () => useProvedWrite("webhook", { method: "PATCH" });
/** Pauses or resumes. */
export const usePauseWebhook = () => useTableWrite("webhook", { method: "PATCH" });
export const useDeleteWebhook = () => useTableDelete("webhook", { stale: ["webhook", "webhookdelivery"] });
/** Sends a test now; the answer says whether it arrived. */
export const useTestWebhook = () => useScript("webhook/test", { stale: ["webhookdelivery"] });
export const useResend = () => useScript("webhook/resend", { stale: ["webhookdelivery"] });
