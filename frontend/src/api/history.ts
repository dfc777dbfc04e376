/** The records of an account: sessions, audit log, credit ledger. */
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Named, namedBy, targetText } from "../domain/event";
import { t } from "../lib/i18n.dashboard";
import { call } from "./client";
import { invalidate } from "./keys";
import { rows, tablePath, useTableDelete } from "./tables";
import type { AuditEvent, List } from "./types";

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

// Deleted ones included: they still stand in the records.
const userNames = rows("appuser", { fields: "appuserid,name", limit: 1000 });
const keyNames = rows("apikeys", { fields: "keyid,purpose", limit: 1000 });
const planNames = rows("subscriptionplan", { fields: "planid,name", limit: 1000 });

/** The name shown for an actor: of the user, of the API key, or "System" for neither. */
export function useActorName(): (actor: number | null, keyid: number | null) => string {
  const users = useQuery(userNames).data?.resource;
  const keys = useQuery(keyNames).data?.resource;
  return useMemo(() => {
    const userOf = new Map(users?.map(({ appuserid, name }) => [appuserid, name]));
    const keyOf = new Map(keys?.map(({ keyid, purpose }) => [keyid, purpose]));
    return (actor, keyid) => {
      if (keyid) return [t("audit.key"), keyOf.get(keyid)].filter(Boolean).join(": ");
      return (actor && (userOf.get(actor) ?? (users && t("audit.former")))) || t("audit.system");
    };
  }, [users, keys]);
}

/** What an entry of the audit log is about: the name of its user, plan or API key, or its target as it stands. */
export function useTargetText(): (event: AuditEvent) => string {
  const users = useQuery(userNames).data?.resource;
  const keys = useQuery(keyNames).data?.resource;
  const plans = useQuery(planNames).data?.resource;
  return useMemo(() => {
    const names: Record<Named, Map<string, string>> = {
      user: new Map(users?.map(({ appuserid, name }) => [String(appuserid), name])),
      key: new Map(keys?.map(({ keyid, purpose }) => [String(keyid), purpose])),
      plan: new Map(plans?.map(({ planid, name }) => [String(planid), name])),
    };
    return ({ event, target, detail }) => {
      const named = namedBy(event, target);
      return targetText((named && names[named].get(target!)) ?? target, detail);
    };
  }, [users, keys, plans]);
}
