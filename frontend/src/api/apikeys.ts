/** The owner's API keys, and the look-up that they give access to. */
import { useQueryClient } from "@tanstack/react-query";
import { call } from "./client";
import { STALE, invalidate } from "./keys";
import { useMutation } from "./mutation";
import { useScript } from "./scripts";
import { rows, useProvedWrite, useTableWrite } from "./tables";
import type { ApiKey } from "./types";

export const API_KEYS = { filter: "(isactive=1) and (isdeleted=0)", order: "createdon DESC" };

export const apiKeys = rows("apikeys", { ...API_KEYS, include_count: true });

/** When each key was last used, without the keys themselves: reading those is recorded in the audit log. */
export const keyUses = rows("apikeys", { fields: "keyid,lastused", filter: API_KEYS.filter });

/** A key name for the form, reserved for this account for ten minutes. */
export const useGenerateKey = () => useScript("generateapikey");
export const useCreateKey = () => useProvedWrite<ApiKey>("apikeys", { method: "POST", stale: STALE.apiKeys });
/** Changes the purpose, or deletes softly: isdeleted 1 and isactive 0. */
export const useChangeKey = () => useTableWrite("apikeys", { method: "PATCH", stale: STALE.apiKeys });

/** Replaces a key; the old one works for some hours more. */
export const useRotateKey = () => useScript("rotateapikey", { stale: STALE.apiKeys });

export type LookupType = "personalemails" | "businessemails" | "directdials";

export interface Lookup {
  data: { full_name: string; linkedinurl: string } & Record<LookupType, string[]>;
  charged: number;
  credits_left: number;
}

/** Looks a contact up by the same call that customers' programs use. */
export function useLookup() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (query: { linkedinurl: string; apikey: string; type: LookupType }) => call<Lookup>("GET", "keylookup", { query }),
    onSuccess: () => invalidate(queries, STALE.apiKeys),
  });
}
