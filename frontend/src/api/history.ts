/** The records of an account: sessions, audit log, credit ledger. */
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { t } from "../lib/i18n.dashboard";
import { call } from "./client";
import { invalidate } from "./keys";
import { rows, tablePath, useTableDelete } from "./tables";
import { team } from "./team";
import type { List } from "./types";

export const HISTORY_PAGE = 25;

/** The user's sessions that have not ended. */
export const signIns = (now = new Date()) =>
  rows("usersession", { filter: `(revokedon is null) and (expireson > '${now.toISOString().slice(0, 10)}')`, order: "lastused DESC", limit: 100 });

export const useEndSignIn = () => useTableDelete("usersession");

/** Ends every session of the user except this one. */
export function useEndOthers() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => call<List<unknown>>("DELETE", tablePath("usersession")),
    onSuccess: () => invalidate(queries, ["usersession"]),
  });
}

const paged = (page: number) => ({ limit: HISTORY_PAGE, offset: (page - 1) * HISTORY_PAGE, include_count: true });

export const auditLog = (page: number) =>
  queryOptions({ ...rows("auditlog", { order: "createdon DESC, auditid DESC", ...paged(page) }), placeholderData: keepPreviousData });

export const creditLedger = (page: number, kind: string) =>
  queryOptions({
    ...rows("creditledger", { filter: kind ? `(kind='${kind}')` : undefined, order: "createdon DESC, ledgerid DESC", ...paged(page) }),
    placeholderData: keepPreviousData,
  });

/** The name shown for an actor: of the member, "API key", or "System" for neither. */
export function useActorName(): (actor: number | null, keyid: number | null) => string {
  const members = useQuery(team).data?.resource;
  return useMemo(() => {
    const names = new Map(members?.map(({ appuserid, name }) => [appuserid, name]));
    return (actor, keyid) => (keyid ? t("audit.key") : (actor && names.get(actor)) || t("audit.system"));
  }, [members]);
}
