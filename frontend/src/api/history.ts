/** The records of an account: sessions, audit log, credit ledger. */
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Named, namedBy, targetText } from "../domain/event";
import { planText } from "../domain/plantexts";
import { t } from "../lib/i18n.dashboard";
import { call } from "./client";
import { invalidate } from "./keys";
import { useMutation } from "./mutation";
import { rows, tablePath, useTableDelete } from "./tables";
import type { ApiKey, AuditEvent, List, Plan, User } from "./types";

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

export interface AuditFilter {
  /** Reads are many and change nothing: they are left out unless asked for. */
  reads: boolean;
  /** One user; 0 for all. */
  by: number;
}

const auditOrder = "createdon DESC, auditid DESC";

function auditCondition({ reads, by }: AuditFilter): string | undefined {
  const conditions = [!reads && "(event <> 'keys_read')", by > 0 && `(appuserid=${by})`].filter(Boolean);
  return conditions.length > 0 ? conditions.join(" and ") : undefined;
}

export const auditLog = (page: number, filter: AuditFilter) =>
  queryOptions({ ...rows("auditlog", { filter: auditCondition(filter), order: auditOrder, ...paged(page) }), placeholderData: keepPreviousData });

const MOST_SAVED = 1000;

/** The newest entries of a filter, for a file. */
export const auditFile = (filter: AuditFilter) =>
  call<List<AuditEvent>>("GET", tablePath("auditlog"), { query: { filter: auditCondition(filter), order: auditOrder, limit: MOST_SAVED } });

export const creditLedger = (page: number, kind: string) =>
  queryOptions({
    ...rows("creditledger", { filter: kind ? `(kind='${kind}')` : undefined, order: "createdon DESC, ledgerid DESC", ...paged(page) }),
    placeholderData: keepPreviousData,
  });

const namesOf = <Row>(numberOf: (row: Row) => number, nameOf: (row: Row) => string) => ({ resource }: List<Row>) =>
  new Map(resource.map((row) => [numberOf(row), nameOf(row)]));

// Names by number, those of deleted ones included: they still stand in the records.
const userNames = queryOptions({ ...rows("appuser", { fields: "appuserid,name", limit: 1000 }), select: namesOf<User>(({ appuserid }) => appuserid, ({ name }) => name) });
const keyNames = queryOptions({ ...rows("apikeys", { fields: "keyid,purpose", limit: 1000 }), select: namesOf<ApiKey>(({ keyid }) => keyid, ({ purpose }) => purpose) });
const planNames = queryOptions({ ...rows("subscriptionplan", { fields: "planid,name", limit: 1000 }), select: namesOf<Plan>(({ planid }) => planid, ({ name }) => planText(name)) });

/** The name shown for an actor: of the user, of the API key, or "System" for neither. `keyed`: a key may be the actor. */
export function useActorName(keyed = true): (actor: number | null, keyid: number | null) => string {
  const { data: users } = useQuery(userNames);
  const { data: keys } = useQuery({ ...keyNames, enabled: keyed });
  return useMemo(
    () => (actor, keyid) => {
      if (keyid) return [t("audit.key"), keys?.get(keyid)].filter(Boolean).join(": ");
      return (actor && users && (users.get(actor) ?? t("audit.former"))) || t("audit.system");
    },
    [users, keys],
  );
}

/** The names of all users of the account by number, former ones included. */
export const useUserNames = (): Map<number, string> | undefined => useQuery(userNames).data;

/** What an entry of the audit log is about: the name of its user, plan or API key, or its target as it stands. Names of
 plans and keys are asked for when one of `events` needs them. */
export function useTargetText(events: AuditEvent[]): (event: AuditEvent) => string {
  const { data: user } = useQuery(userNames);
  const asks = (what: Named) => events.some(({ event, target }) => namedBy(event, target) === what);
  const { data: key } = useQuery({ ...keyNames, enabled: asks("key") });
  const { data: plan } = useQuery({ ...planNames, enabled: asks("plan") });
  return useMemo(() => {
    const names: Record<Named, Map<number, string> | undefined> = { user, key, plan };
    return ({ event, target, detail }) => {
      const named = namedBy(event, target);
      return targetText((named && names[named]?.get(Number(target))) ?? target, detail);
    };
  }, [user, key, plan]);
}
