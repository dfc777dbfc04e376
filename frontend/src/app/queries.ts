/** The query cache: when to refetch, and what to do when the session has ended. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isPassing } from "../../shared/apierror";
import { toast } from "../../shared/toasts";
import { account } from "../api/account";
import { ApiError, endsSession } from "../api/errors";
import { explainLeaving } from "../api/explain";
import { currentSession, sessionEnded, sessionExpired } from "../stores/session";
import { whenBack } from "../lib/whenback";

const MOST_RETRIES = 2;

/** The log-out rule. The guard of the dashboard then shows the sign-in screen. */
function leaveIfOver(queries: QueryClient, error: unknown): void {
  if (!currentSession()) return;
  // The app offers only permitted actions, so a 403 means that the user's rights have changed.
  if (error instanceof ApiError && error.status === 403 && !endsSession(error)) void queries.invalidateQueries({ queryKey: account.queryKey });
  if (!endsSession(error)) return;
  if (error.status === 401) sessionExpired();
  else sessionEnded();
  toast(explainLeaving(error), "bad", 1);
}

export function makeQueryClient(): QueryClient {
  const onError = (error: unknown) => leaveIfOver(queries, error);
  const failed = { type: "active", predicate: ({ state }: { state: { status: string } }) => state.status === "error" } as const;
  const readAgain = () => void queries.refetchQueries(failed);
  const onUnread = (error: unknown) => {
    if (isPassing(error)) whenBack(readAgain, () => queries.getQueryCache().findAll(failed).length > 0);
    onError(error);
  };
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: onUnread }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        // Without a connection a request fails at once instead of waiting for one.
        networkMode: "always",
        refetchOnReconnect: true,
        staleTime: 30_000,
        retry: (failures, error) => failures < MOST_RETRIES && isPassing(error),
        refetchOnWindowFocus: false,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
  return queries;
}
