/** Proofs of the user, identities at providers, and a change of address that is undone. */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { tokenReplaced } from "../stores/session";
import { call } from "./client";
import { ApiError, ProviderRejected } from "./errors";
import { invalidate, keys } from "./keys";
import { useMutation } from "./mutation";
import { renewing } from "./renewal";
import { type Answer, runScript } from "./scripts";
import { type Vendor, proofOf, sessionOf } from "./social";
import type { List, Proof } from "./types";

export type Missing = "password" | "code" | "signin";

/** The parts of the proof that a call lacked. */
export const missingOf = (error: unknown): readonly Missing[] =>
  error instanceof ApiError && error.reason === "confirmation_required" ? (error.context["missing"] as Missing[]) : [];

export interface Identity {
  identityid: number;
  provider: Vendor;
  email: string | null;
  createdon: string;
}

export const identities = queryOptions({
  queryKey: keys.identities,
  queryFn: ({ signal }) => call<List<Identity>>("GET", "user/identities", { signal }),
});

export function useRemoveIdentity() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { identityid: number } & Proof) => call("DELETE", "user/identities", { body }),
    onSuccess: () => invalidate(queries, ["identities"]),
  });
}

/** Signs the same user in with a provider again. The app continues with the new session. */
export function useSignInAgain(appuserid: number) {
  return useMutation({
    mutationFn: async ({ vendor, popup, signal }: { vendor: Vendor; popup: Window; signal: AbortSignal }) => {
      try {
        const proof = await proofOf(vendor, popup, signal);
        if (proof.action !== "login") throw new ProviderRejected("another_account");
        await renewing(async () => {
          const { session_token, ...me } = await sessionOf(proof);
          if (me.appuserid !== appuserid) throw new ProviderRejected("another_account");
          tokenReplaced(session_token);
        });
      } finally {
        popup.close();
      }
    },
  });
}

export type Undo = Answer<"emailundo">;

export const undoOf = (code: string) =>
  queryOptions({ queryKey: keys.undo(code), queryFn: () => runScript("emailundo", { code }), retry: false });

export function useUndo(code: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => runScript("emailundo", { code, confirm: true }),
    onSuccess: (undone) => queries.setQueryData(keys.undo(code), undone),
  });
}
