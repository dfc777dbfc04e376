/** What happened in an account: sign-ins, the audit log, the ledger of credits. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "./client";
import { rows, tablePath, useTableDelete } from "./tables";
import type { List } from "./types";

export const HISTORY_PAGE = 25;

/** The sign-ins of the own user that have not ended. */
export const signIns = (now = new Date()) =>
  rows("usersession", { filter: `(revokedon is null) and (expireson > '${now.toISOString().slice(0, 10)}')`, order: "lastused DESC", limit: 100 });

export const useEndSignIn = () => useTableDelete("usersession");

/** Ends every sign-in of the own user but this one. */
export function useEndOthers() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call<List<unknown>>("DELETE", tablePath("usersession")),
    onSuccess: () => client.invalidateQueries({ queryKey: ["usersession"] }),
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
