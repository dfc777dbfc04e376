/** Calls of scripts by name, with typed input and output. */
import { useQueryClient } from "@tanstack/react-query";
import { call } from "./client";
import { type Subject, invalidate } from "./keys";
import { useMutation } from "./mutation";
import type { ApiUsage, Found, List, PlatformUsage, Schemas } from "./types";

type Described<Kind extends "input" | "output"> = { [Key in keyof Schemas as Key extends `${infer Name} ${Kind}` ? Name : never]: Schemas[Key] };

/** Response types that the API description does not specify. */
interface Answers {
  searchurl: { data: Found[] };
  getrevealcount: { totalrevealcount: number; people?: number; days?: DayCount[] };
  getplatformusagedata: List<PlatformUsage> & { meta: { people: number } };
  getapiusagedata: List<ApiUsage>;
  "datascript/appcounters": { data: Record<string, number> };
  addonpaymentintent: { result: { clientsecret: string; paymentintentid: string; amount: number; currency: string } };
  addonpayment: { result: AddonPayment };
}

export type ScriptName = keyof Described<"input"> & keyof Described<"output">;

/** The number of reveals of one day; days without reveals are left out. */
export interface DayCount {
  date: string;
  count: number;
  /** People of these reveals; each counts once in a period. */
  people?: number;
}

export type UsageSpan = Input<"getplatformusagedata">;

/** A completed payment, or one that the cardholder must confirm, on the page at `url` if given. */
export type AddonPayment =
  | { transactionid: number; requires_action?: undefined }
  | { requires_action: 1; clientsecret: string; url?: string; paymentintentid?: string };

export type SocialProof = Answer<"google_userdetails">;

export type Input<Name extends ScriptName> = Described<"input">[Name];
export type Answer<Name extends ScriptName> = Name extends keyof Answers ? Answers[Name] : Described<"output">[Name];

export interface ScriptOptions {
  signal?: AbortSignal;
  contacts?: boolean;
}

/** Runs a script once. */
export function runScript<Name extends ScriptName>(name: Name, input: Input<Name>, options: ScriptOptions = {}) {
  return call<Answer<Name>>("POST", name, { body: input, ...options });
}

/** A script as a mutation. `stale` names the subjects that it changes. */
export function useScript<Name extends ScriptName>(
  name: Name,
  { stale = [], contacts = false }: { stale?: readonly Subject[]; contacts?: boolean } = {},
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input<Name>) => runScript(name, input, { contacts }),
    onSuccess: () => invalidate(queries, stale),
  });
}
