/** The calls of the desk. For staff only; other roles do not see them in the API description. */
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { deskLeft } from "../stores/session";
import { signInSilently } from "./account";
import { call } from "./client";
import { config } from "./config";
import { useMutation } from "./mutation";

export type Kind = "contactcredit" | "bus_email_credits" | "personal_email_credits";
export const KINDS: readonly Kind[] = ["contactcredit", "bus_email_credits", "personal_email_credits"];

export interface FoundClient {
  clientid: number;
  companyname: string;
  country: string | null;
  createdon: string;
  owner: string | null;
  email: string | null;
  plan: string | null;
  status: string | null;
}

export interface DeskUser {
  appuserid: number;
  name: string;
  email: string;
  role: "client" | "member" | "admin";
  isactive: number;
  isdeleted: number;
  isverified: number;
  invitestatus: "pending" | "accepted";
  lastloginon: string | null;
  createdon: string;
  hasmfa: number;
}

export interface Overview {
  client: { clientid: number; companyname: string; country: string | null; phonenumber: string; stripe_custid: string | null; createdon: string };
  users: DeskUser[];
  credits: Record<Kind, number>[];
  subscriptions: { subscriptionid: number; plan: string; price: string; status: string; isactive: number; autorenew: number; expirydate: string }[];
  customplans: { planid: number; name: string; sku: string; assigned: boolean }[];
  ledger: { ledgerid: number; createdon: string; kind: Kind; delta: number; balance_after: number; reason: string }[];
  payments: { transactionid: number; invoicenumber: string; transactiondate: string; planname: string; price: string; status: string }[];
  sessions: { usersessionid: number; name: string; lastused: string; ip: string | null; useragent: string | null }[];
  audit: { auditid: number; createdon: string; event: string; target: string | null; appuserid: number | null; keyid: number | null; staffid: number | null; ip: string | null; detail: unknown }[];
  keys: { keyid: number; name: string; purpose: string; isactive: number; isdeleted: number; lastused: string | null; createdon: string }[];
  reveals: { kind: "directdial" | "businessemail" | "personalemail"; count: number; bykeys: number }[];
}

export interface Vote {
  feedbackid: number;
  clientid: number;
  companyname: string;
  name: string;
  type: "phone" | "businessemail" | "personalemail";
  downvotereason: "invalid" | "outofservice" | "others";
  linkedin_url: string;
  createdon: string;
}

export interface Job {
  id: number;
  job: string;
  status: string;
  attempts: number;
  created: string;
  execute_after: string;
  error: string | null;
}

export interface PaymentEvent {
  id: string;
  type: string;
  created: string;
  note: string | null;
  customer: string | null;
  clientid: number | null;
}

const post = <T>(name: string, body: object, signal?: AbortSignal) => call<T>("POST", `desk/${name}`, { body, signal });
const list = <T>(name: string) =>
  queryOptions({ queryKey: ["desk", name], queryFn: ({ signal }) => call<T>("GET", `desk/${name}`, { signal }), staleTime: 0 });

// Every read is recorded in the audit log, so a recent response is reused.
export const findClients = (text: string) =>
  queryOptions({
    queryKey: ["desk", "find", text],
    queryFn: ({ signal }) => post<{ resource: FoundClient[]; more: boolean }>("find", { text }, signal),
    enabled: text !== "",
  });

export const overviewOf = (clientid: number) =>
  queryOptions({ queryKey: ["desk", "client", clientid], queryFn: ({ signal }) => post<Overview>("client", { clientid }, signal) });

export const votes = list<{ resource: Vote[] }>("feedback");
export const jobs = list<{ resource: Job[]; counts: Record<string, number> }>("jobs");
export const paymentEvents = list<{ resource: PaymentEvent[] }>("payments");

const WORK_MS = 60_000;

/** The pending work, for the navigation and the first page: votes, failed jobs, events that were not applied. */
export function useWork(): { feedback: number | undefined; queue: number | undefined; payments: number | undefined } {
  const [open, failed, events] = [useQuery({ ...votes, staleTime: WORK_MS }), useQuery({ ...jobs, staleTime: WORK_MS }), useQuery({ ...paymentEvents, staleTime: WORK_MS })];
  return { feedback: open.data?.resource.length, queue: failed.data && (failed.data.counts["failed"] ?? 0), payments: events.data?.resource.length };
}

/** A change through a call of the desk, after which all data of the desk is refetched. */
export function useDesk<Answer = unknown>(name: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: object) => post<Answer>(name, body),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["desk"] }),
  });
}

/** Opens the app as a user sees it; the staff session is kept in this tab. The desk's pages are unmounted by then. */
export function useView(onViewing: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: { appuserid: number; reason: string }) => {
      const { session_token } = await post<{ session_token: string }>("view", body);
      deskLeft();
      return signInSilently(session_token);
    },
    onSuccess: () => {
      queries.clear();
      onViewing();
    },
  });
}

export const brand = () => config().brandname;
