/** The records of an account: sessions, audit log, credit ledger. */
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Named, contactOf, namedBy, targetText } from "../domain/event";
import { planText } from "../domain/plantexts";
import { t } from "../lib/i18n.dashboard";
import { account } from "./account";
import { call } from "./client";
import { invalidate } from "./keys";
import { useMutation } from "./mutation";
import { rows, tablePath, useTableDelete } from "./tables";
import type { ApiKey, AuditEvent, LedgerRow, List, Plan, User, UserContact } from "./types";

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
  /** Include entries about reads, which are frequent and hidden by default. */
  reads: boolean;
  /** One user; 0 for all. */
  by: number;
  /** What happened; "" for everything. */
  about: About | "";
}

/** Groups of audit events, each with the prefixes of its event names. */
export const ABOUT = {
  reveals: ["reveal", "credit", "contacts", "person"],
  signins: ["signin", "signout", "sessions", "password", "email", "register", "account", "mfa"],
  members: ["member", "invitation"],
  keys: ["key", "agent", "webhook"],
  billing: ["plan", "addon", "payment", "invoice", "subscription"],
  support: ["support", "staff"],
} as const;
export type About = keyof typeof ABOUT;

const auditOrder = "createdon DESC, auditid DESC";

function auditCondition({ reads, by, about }: AuditFilter): string | undefined {
  const conditions = [!reads && "(event <> 'keys_read')", by > 0 && `(appuserid=${by})`, about && `(${ABOUT[about].map((start) => `(event like '${start}%')`).join(" or ")})`].filter(Boolean);
  return conditions.length > 0 ? conditions.join(" and ") : undefined;
}

/** The query of a filter's entries, without a page. */
export const auditQuery = (filter: AuditFilter) => ({ filter: auditCondition(filter), order: auditOrder });

export const auditLog = (page: number, filter: AuditFilter) =>
  queryOptions({ ...rows("auditlog", { ...auditQuery(filter), ...paged(page) }), placeholderData: keepPreviousData });

const MOST_SAVED = 1000;

/** The newest entries of a filter, for a file. */
export const auditFile = (filter: AuditFilter) =>
  call<List<AuditEvent>>("GET", tablePath("auditlog"), { query: { ...auditQuery(filter), limit: MOST_SAVED } });

const namesOf = <Row>(numberOf: (row: Row) => number, nameOf: (row: Row) => string) => ({ resource }: List<Row>) =>
  new Map(resource.map((row) => [numberOf(row), nameOf(row)]));

export interface LedgerFilter {
  /** A column of the balances; "" for all. */
  kind: string;
  /** One user; 0 for all. */
  by: number;
}

const ledgerOrder = "createdon DESC, ledgerid DESC";

function ledgerCondition({ kind, by }: LedgerFilter): string | undefined {
  const conditions = [kind && `(kind='${kind}')`, by > 0 && `(actor=${by})`].filter(Boolean);
  return conditions.length > 0 ? conditions.join(" and ") : undefined;
}

/** The query of a filter's changes, without a page. */
export const ledgerQuery = (filter: LedgerFilter) => ({ filter: ledgerCondition(filter), order: ledgerOrder });

export const creditLedger = (page: number, filter: LedgerFilter) =>
  queryOptions({ ...rows("creditledger", { ...ledgerQuery(filter), ...paged(page) }), placeholderData: keepPreviousData });

/** What each kind changed by on each day since a day, in UTC. */
export const creditDays = (since: string) =>
  queryOptions({
    queryKey: ["creditledger", "days", since] as const,
    queryFn: ({ signal }) =>
      call<List<{ day: string; kind: string; delta: number }>>("GET", tablePath("creditledger"), {
        query: { fields: "DAY(createdon) AS day,kind,SUM(delta) AS delta", group: "DAY(createdon),kind", filter: `(createdon>='${since}')`, limit: MOST_SAVED },
        signal,
      }),
  });

/** The newest changes of a filter, for a file. */
export const ledgerFile = (filter: LedgerFilter) =>
  call<List<LedgerRow>>("GET", tablePath("creditledger"), { query: { ...ledgerQuery(filter), limit: MOST_SAVED } });

const nameRows = namesOf<UserContact>(({ contactid }) => contactid, ({ name }) => name);

/** The names of contacts by number: all of the account's for the owner, those on their own list for a member. Removed
 people have none. */
export function useContactNames(contactids: readonly number[]): ReadonlyMap<number, string> {
  const { data: me } = useQuery(account);
  const ids = [...new Set(contactids)].toSorted((a, b) => a - b);
  const { data } = useQuery({
    ...rows("usercontact", { fields: "contactid,name", filter: `(clientid=${me?.clientid}) and (contactid in (${ids.join(",")}))`, limit: ids.length }),
    select: nameRows,
    enabled: me !== undefined && ids.length > 0,
  });
  return data ?? NO_NAMES;
}

const NO_NAMES: ReadonlyMap<number, string> = new Map();


// User names by id, including deleted users: the records still show them.
const userNames = queryOptions({ ...rows("appuser", { fields: "appuserid,name", limit: 1000 }), select: namesOf<User>(({ appuserid }) => appuserid, ({ name }) => name) });
const keyNames = queryOptions({ ...rows("apikeys", { fields: "keyid,purpose", limit: 1000 }), select: namesOf<ApiKey>(({ keyid }) => keyid, ({ purpose }) => purpose) });
const planNames = queryOptions({ ...rows("subscriptionplan", { fields: "planid,name", limit: 1000 }), select: namesOf<Plan>(({ planid }) => planid, ({ name }) => planText(name)) });

/** The name shown for an actor: a user, an API key, or "System" for neither. `keyed`: a key may be the actor. */
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

/** The subject of an audit log entry: the name of its user, plan or API key, or else its raw target. Names of plans and
 keys are requested only if one of `events` needs them. */
export function useTargetText(events: AuditEvent[]): (event: AuditEvent) => string {
  const { data: user } = useQuery(userNames);
  const contacts = useContactNames(events.flatMap((event) => contactOf(event) ?? []));
  const asks = (what: Named) => events.some(({ event, target }) => namedBy(event, target) === what);
  const { data: key } = useQuery({ ...keyNames, enabled: asks("key") });
  const { data: plan } = useQuery({ ...planNames, enabled: asks("plan") });
  return useMemo(() => {
    const names: Record<Named, Map<number, string> | undefined> = { user, key, plan };
    return ({ event, target, detail }) => {
      const contact = contacts.get(contactOf({ event, target }) ?? 0);
      if (contact) return contact;
      const named = namedBy(event, target);
      return targetText((named && names[named]?.get(Number(target))) ?? target, detail);
    };
  }, [user, key, plan, contacts]);
}
