/** The types of records and responses, from the generated description; types that it leaves open are narrowed here. */
import type { components } from "./schema.gen";

export type Schemas = components["schemas"];

/** A record with its columns, without related records. */
type Columns<Table extends keyof Schemas> = { [Name in keyof Schemas[Table] as Name extends `${string}_by_${string}` ? never : Name]: Schemas[Table][Name] };

/** The description allows NaN, as text, in every numeric column; prices have none. */
type Priced<Row> = { [Name in keyof Row]: Name extends "price" | "refunded" ? number : Row[Name] };

export type Plan = Omit<Priced<Columns<"subscriptionplan">>, "new_features_json"> & { new_features_json: Feature[] | null };

/** One feature of a plan. */
export interface Feature {
  name: string;
  value: string;
  tooltip?: string;
  tooltipapi?: string;
}

export type Subscription = Omit<Priced<Columns<"usersubscription">>, "status"> & {
  status: "active" | "past_due" | "paused" | "cancelled" | "expired";
  subscriptionplan_by_planid: Plan | null;
};

export type Credits = Columns<"usercredit">;

export type Client = Columns<"client"> & {
  usercredit_by_clientid: Credits[];
  usersubscription_by_clientid: Subscription[];
};

export type User = Columns<"appuser">;

/** The signed-in user, as the session calls return it. `haspassword` is 0 for an account that signs in with a provider
 alone, and `hasmfa` is 1 if signing in asks for a code, too. */
export type Account = User & {
  session_token: string;
  usersessionid: number | null;
  client_by_clientid: Client;
  haspassword: 0 | 1;
  hasmfa: 0 | 1;
  support?: 1;
};

/** A contact of My Contacts. `emails` is JSON text; the other lists are comma-separated text. */
export type UserContact = Schemas["Contact"] & About;

/** The person's, as of the latest reveal; absent on a server without these columns. */
interface About {
  title?: string;
  company?: string;
  country?: string;
}

export type RevealType = Schemas["getcontact input"]["type"];

export type FoundEmail = Omit<Schemas["CardEmail"], "type" | "validation" | "verification"> & { type: "personal" | "business"; validation: Validation; verification?: string | null };

/** One person of a search. */
export type Found = Omit<Schemas["Card"], "emails" | "bus_email_validation" | "revealed"> & {
  /** Kinds paid for earlier, each with its user and time; a reveal in this search is not among them. */
  revealed?: Schemas["Earlier"][];
  emails: FoundEmail[];
  bus_email_validation: Validation;
};

type Validation = "valid" | "unknown" | null;

/** A vote on one contact value; "withdraw" removes it. */
export type Feedback = Pick<Columns<"contactfeedback">, "linkedin_url" | "info"> & {
  action: "upvote" | "downvote" | "withdraw";
  type: "personalemail" | "businessemail" | "phone";
  downvotereason?: "invalid" | "outofservice" | "others";
  reasonnote?: string;
};

/** A customer's key of the look-up API. */
export type ApiKey = Columns<"apikeys">;

/** An invoice. `price` is in dollars; `refunded` is how much of it was refunded or is disputed. */
export type Transaction = Omit<Columns<"transactionhistory">, "status"> & { status: "open" | "paid" | "refunded" | "failed" };

/** Paid reveals of one member in a month. */
export interface PlatformUsage {
  appuserid: number;
  name: string;
  email: string;
  totalrevealedcount: number;
  /** Distinct people of these reveals. */
  peoplecount: number;
  personalemailcount: number;
  busemailcount: number;
  directdialscount: number;
}

/** Calls and paid reveals of one API key in a month. */
export interface ApiUsage {
  keyid: number;
  apikey: string;
  purpose: string;
  callcount: number;
  isdeleted: number;
  personalemailcount: number;
  businessemailcount: number;
  directdialscount: number;
}

/** The user's own tags and note on a contact. */
export type ContactMeta = Pick<Columns<"contactmeta">, "contactid" | "note"> & { tags: string[] };

/** A bulk look-up, as in the list of jobs. */
export type BulkJobRow = Omit<Columns<"bulkjob">, "status" | "kinds"> & {
  status: "queued" | "running" | "done" | "cancelled" | "failed";
  kinds: RevealType[];
};

/** A session of the user. */
export type SignIn = Columns<"usersession">;

/** An entry of the audit log. */
export type AuditEvent = Columns<"auditlog">;

/** One change of a credit balance. */
export type LedgerRow = Omit<Columns<"creditledger">, "kind"> & { kind: keyof Balances };

/** The events that a webhook sends. */
export type EventName = "contact.revealed" | "bulk.finished" | "credits.low" | "plan.changed";

export type Webhook = Omit<Columns<"webhook">, "events"> & { events: EventName[] };

/** An event that was sent to a webhook, or will be. */
export type WebhookDelivery = Omit<Columns<"webhookdelivery">, "status" | "event"> & {
  status: "waiting" | "delivered" | "failed";
  event: EventName | "test";
};

/** A saved search of people or companies. */
export interface SavedSearch {
  savedsearchid: number;
  appuserid: number;
  name: string;
  kind: "people" | "companies";
  filters: Record<string, unknown>;
  shared: number;
}

/** A list of people, of one user or of the team. */
export interface ContactList {
  listid: number;
  appuserid: number;
  name: string;
  shared: number;
  createdon: string;
  /** Missing in the response to a write. */
  people?: number;
}

export interface List<Row> {
  resource: Row[];
  meta?: { count?: number };
}

/** The tables that the app reads, and their records. */
export interface Tables {
  contactmeta: ContactMeta;
  bulkjob: BulkJobRow;
  appuser: User;
  client: Client;
  subscriptionplan: Plan;
  usersubscription: Subscription;
  transactionhistory: Transaction;
  usercontact: UserContact;
  apikeys: ApiKey;
  apiusage: Columns<"apiusage">;
  contactfeedback: Columns<"contactfeedback">;
  usersession: SignIn;
  savedsearch: SavedSearch;
  contactlist: ContactList;
  contactlistitem: { itemid: number; listid: number; linkedinurl: string };
  auditlog: AuditEvent;
  creditledger: LedgerRow;
  webhook: Webhook;
  webhookdelivery: WebhookDelivery;
}

export type Balances = Schemas["Balances"];

/** What a call needs besides the session; the server says which part is missing. */
export interface Proof {
  password?: string;
  code?: string;
}
