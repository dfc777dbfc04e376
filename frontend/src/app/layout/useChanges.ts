/** Keeps the balance and the open screen's list up to date by change streams. */
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "react-router";
import { account, setBalances } from "../../api/account";
import { setFollowed } from "../../api/following";
import { STALE, type Subject } from "../../api/keys";
import type { Balances } from "../../api/types";

/** Starts after the first load, which must not wait for streams. */
const START_MS = 3000;
/** Changes that arrive together cause one request for the list. */
const TOGETHER_MS = 250;

interface Followed {
  table: string;
  fields: string;
  stale: readonly (Subject | "bulklookup")[];
}

const SCREENS: Record<string, Followed> = {
  "/dashboard/main/mycontacts": { table: "usercontact", fields: "contactid", stale: STALE.reveal },
  "/dashboard/settings/manageseats": { table: "appuser", fields: "appuserid", stale: ["appuser"] },
  "/dashboard/main/bulklookup": { table: "bulkjob", fields: "jobid,status,charged", stale: ["bulkjob", "bulklookup"] },
};
const BALANCES = "clientid,contactcredit,bus_email_credits,personal_email_credits";

export function useChanges(isReady: boolean): void {
  const queries = useQueryClient();
  const { pathname } = useLocation();

  useEffect(
    () =>
      isReady
        ? later("usercredit", BALANCES, {
            reset: (since) => void staleSince(queries, "account", since),
            row: (row) => setBalances(queries, row as Balances),
            gone: () => undefined,
            rejected: () => void queries.invalidateQueries({ queryKey: account.queryKey }),
          })
        : undefined,
    [isReady, queries],
  );

  useEffect(() => {
    const screen = isReady ? SCREENS[pathname] : undefined;
    if (!screen) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = () => {
      clearTimeout(timer);
      timer = setTimeout(() => screen.stale.forEach((subject) => void queries.invalidateQueries({ queryKey: [subject] })), TOGETHER_MS);
    };
    const stop = later(screen.table, screen.fields, {
      reset: (since) => screen.stale.forEach((subject) => void staleSince(queries, subject, since)),
      row: changed,
      gone: changed,
      rejected: () => undefined,
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [isReady, pathname, queries]);
}

/** Data read before the stream was open may lack a change. */
function staleSince(queries: QueryClient, subject: string, since: number): Promise<void> {
  return queries.invalidateQueries({ queryKey: [subject], predicate: ({ state }) => state.dataUpdatedAt < since });
}

type Handlers = Omit<import("../../api/changes").Events, "open">;

/** Follows a table with code that is loaded after the first screen. */
function later(table: string, fields: string, handlers: Handlers): () => void {
  let stop: (() => void) | undefined;
  let isOver = false;
  const timer = setTimeout(() => {
    void import("../../api/changes").then(
      ({ follow }) => {
        if (!isOver) stop = follow(table, fields, { ...handlers, open: (isOpen) => setFollowed(table, isOpen) });
      },
      // Without a connection, screens poll until a stream is open again.
      () => undefined,
    );
  }, START_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
    stop?.();
  };
}
