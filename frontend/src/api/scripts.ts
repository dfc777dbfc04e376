/** The script half of the API: one name, one typed input, one typed answer. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "./client";
import type { ApiUsage, Balances, ContactMeta, Found, List, PlatformUsage, RevealType, UserContact } from "./types";

type Done = { success: 1 | true };

/** Every script that the app calls, as [input, answer]. */
export interface Scripts {
  searchurl: [{ linkedinurl: string; personal: boolean; business: boolean; phone: boolean }, { data: Found[] }];
  getcontact: [
    { linkedinurl: string; type: RevealType; action: "reveal" },
    { contactdata: UserContact[]; charged: 0 | 1; credits: Balances },
  ];
  searchname: [{ limit: number; offset: number; searchtext: string }, List<UserContact>];
  getrevealcount: [{ revealedby: number; date: string; daily?: boolean; team?: boolean }, { totalrevealcount: number; days?: DayCount[] }];
  contactmeta_addupdate: [ContactMeta, List<ContactMeta>];
  generateapikey: [Record<string, never>, { apikey: string }];
  getplatformusagedata: [UsageSpan, List<PlatformUsage>];
  getapiusagedata: [UsageSpan, List<ApiUsage>];
  "datascript/appcounters": [Record<string, never>, { data: Record<string, number> }];
  checkemailexists: [{ email: string }, { result: { exists: 0 | 1; available: 0 | 1 } }];
  validatedomain: [{ email: string }, { result: { valid: 0 | 1 } }];
  sendverificationemail: [{ email: string; checktoken?: string | undefined }, Done];
  registration_confirmation: [{ appuserid: number }, Done];
  sendinvoice: [{ clientid: number }, Done];
  updateclient_credit: [{ afid: string | number | undefined; clientid: number }, Done];
  getappuserbyemail: [{ email: string; checktoken?: string | undefined }, List<UserState>];
  updatinvitedappuser: [{ email: string; verifytoken: string }, Done & { invitestatus?: string; already?: 1 }];
  sendappuserinviteemail: [{ appuserid: number }, Done];
  emailcodeverification: [{ oldemail: string; newemail: string }, Done];
  emailupdate: [{ type: "update"; newemail: string; code: string; afid?: string | number | undefined }, Done & { session_token: string }];
  scheduledemoemail: [{ name: string; email: string; query: string }, Done];
  upgradeplan: [{ planid: number; clientid: number; subscriptionid: number | undefined }, Done];
  addonpaymentintent: [{ planid: number }, { result: { clientsecret: string; paymentintentid: string; amount: number; currency: string } }];
  addonpayment: [{ clientid: number; tokenid: string; planid: number }, { result: AddonPayment }];
  addoncredits_email: [{ transactionid: number }, Done];
  socialstart: [{ provider: "google" | "linkedin" }, { url: string; redirect_uri: string }];
  linkedin_accesstoken: [SocialCode, { access_token: string }];
  google_accesstoken: [SocialCode, { access_token: string }];
  linkedin_userdetails: [{ access_token: string }, SocialProof];
  google_userdetails: [{ access_token: string }, SocialProof];
}

/** Reveals of one day that has some. */
export interface DayCount {
  date: string;
  count: number;
}

export interface UsageSpan {
  startdate: string;
  enddate: string;
  clientid: number;
  search: string;
}

export interface UserState {
  appuserid: number;
  name: string;
  email: string;
  isverified: number;
  isactive: number;
  invitestatus: string | null;
  isdeleted: number;
}

/** Paid, or the bank wants to ask the cardholder first: on its page, when there is a `url`. */
export type AddonPayment =
  | { transactionid: number; requires_action?: undefined }
  | { requires_action: 1; clientsecret: string; url?: string; paymentintentid?: string };

export interface SocialCode {
  code: string;
  state: string;
  redirect_uri: string;
}

export interface SocialProof {
  email: string;
  name: string;
  socialid: string;
  proof: string;
  action: "login" | "signup";
}

export type Input<Name extends keyof Scripts> = Scripts[Name][0];
export type Answer<Name extends keyof Scripts> = Scripts[Name][1];

export interface ScriptOptions {
  signal?: AbortSignal;
  contacts?: boolean;
}

/** Runs a script once. */
export function runScript<Name extends keyof Scripts>(name: Name, input: Input<Name>, options: ScriptOptions = {}) {
  return call<Answer<Name>>("POST", name, { body: input, ...options });
}

/** A script as a mutation. `touches` names the query keys that are stale after it. */
export function useScript<Name extends keyof Scripts>(
  name: Name,
  { touches = [], contacts = false }: { touches?: readonly string[]; contacts?: boolean } = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input<Name>) => runScript(name, input, { contacts }),
    onSuccess: () => Promise.all(touches.map((key) => client.invalidateQueries({ queryKey: [key] }))),
  });
}
