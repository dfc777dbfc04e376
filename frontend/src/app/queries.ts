/** The query cache: when it asks again, and what happens when the server says that the session is over. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { endsSession, isPassing } from "../api/errors";
import { explainLeaving } from "../api/explain";
import { currentSession, sessionEnded, sessionExpired } from "../stores/session";
import { toast } from "../stores/toasts";

const MOST_RETRIES = 2;

/** The log-out rule. The guard of the dashboard then shows the sign-in screen. */
function leaveIfOver(error: unknown): void {
  if (!endsSession(error) || !currentSession()) return;
  if (error.status === 401) sessionExpired();
  else sessionEnded();
  toast(explainLeaving(error), "bad", 1);
}

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfOver }),
    mutationCache: new MutationCache({ onError: leaveIfOver }),
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
}
