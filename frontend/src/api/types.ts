/** The rows and answers that the app reads, named as the server names them. */

export interface Plan {
  planid: number;
  name: string;
  sku: string | null;
  price: number;
  validity: number;
  details: string | null;
  availableseats: number;
  availableapicall: number;
  isaddon: number;
  new_features_json?: Feature[] | null;
  apiaccess?: number;
  contactcredit?: number;
  bus_email_credits?: number;
  personal_email_credits?: number;
}

/** One line of what a plan holds. */
export interface Feature {
  name: string;
  value: string;
  tooltip?: string;
  tooltipapi?: string;
}

export interface Subscription {
  subscriptionid: number;
  planid: number;
  sku: string | null;
  autorenew: number | string;
  expirydate: string | null;
  transactionid: string | null;
  isactive: number;
  status?: "active" | "past_due" | "cancelled" | "expired";
  graceuntil?: string | null;
  downgrade_planid?: number | null;
  downgrade_startson?: string | null;
  subscriptionplan_by_planid: Plan | null;
}

export interface Credits {
  contactcredit: number;
  bus_email_credits: number;
  personal_email_credits: number;
  emailcredit?: number | null;
  seatcount: number;
  apicallcount: number;
}

export interface Client {
  clientid: number;
  companyname: string | null;
  phonenumber?: string | null;
  country?: string | null;
  salespeoplecount?: number | null;
  requiredleadcount?: number | null;
  department?: string | null;
  taxid?: string | null;
  billingaddress?: string | null;
  usercredit_by_clientid: Credits[];
  usersubscription_by_clientid: Subscription[];
}

export interface User {
  appuserid: number;
  clientid: number;
  afid?: string | number;
  name: string;
  firstname: string | null;
  lastname: string | null;
  email: string;
  phonenumber: string | null;
  avatar: string | null;
  role: string;
  isactive: number;
  isverified: number;
  isdeleted: number;
  invitestatus: string | null;
  createdon: string;
}

/** The signed-in user, as the session calls return it. */
export interface Account extends User {
  session_token: string;
  mustchangepassword?: number;
  client_by_clientid: Client;
}

/** A contact of My Contacts. `emails` is JSON text; the other lists are comma-separated text. */
export interface UserContact {
  contactid: number;
  name: string;
  linkedinurl: string;
  emails: string | null;
  business_emails: string | null;
  phone_numbers: string | null;
  phonecost: number;
  businessemailcost: number;
  personalemailcost: number;
  deleted: number;
  revealedby: number | null;
  dialrevealedby: number | null;
  bus_email_validation?: "valid" | "unknown" | null;
  createdon: string;
}

export type EmailType = "personal" | "business";
export type RevealType = "directdial" | "businessemail" | "personalemail";

export interface FoundEmail {
  address: string;
  type: EmailType;
  encrypted: boolean;
  validation?: "valid" | "unknown" | null;
}

/** One person of a search. */
export interface Found {
  full_name: string;
  linkedinurl: string;
  title?: string | null;
  company?: string | null;
  country?: string | null;
  emails: FoundEmail[];
  phone_numbers: string[];
  phone_encrypted: boolean;
  business_email_encrypted: boolean;
  personal_email_encrypted: boolean;
  bus_email_validation: "valid" | "unknown" | null;
}

export interface Feedback {
  linkedin_url: string;
  info: string;
  action: "upvote" | "downvote";
  type: "personalemail" | "businessemail" | "phone";
  downvotereason?: "invalid" | "outofservice" | "others";
  reasonnote?: string;
}

/** A customer's key of the look-up API. */
export interface ApiKey {
  keyid: number;
  apikey: string;
  purpose: string;
  isactive: number;
  createdon: string;
  lastused: string | null;
}

/** Paid reveals of one member in a month. */
export interface PlatformUsage {
  appuserid: number;
  name: string;
  email: string;
  totalrevealedcount: number;
  personalemailcount: number;
  busemailcount: number;
  directdialscount: number;
}

/** Calls and paid reveals of one API key in a month. */
export interface ApiUsage {
  keyid: number;
  apikey: string;
  callcount: number;
  isdeleted: number;
  personalemailcount: number;
  businessemailcount: number;
  directdialscount: number;
}

/** An invoice. `price` is in dollars. */
export interface Transaction {
  transactionid: number;
  invoicenumber: string;
  transactiondate: string;
  expirydate: string | null;
  planname: string;
  isaddon: number;
  price: number;
  status?: "open" | "paid" | "refunded" | "failed";
  /** How much of the price was refunded or is disputed. */
  refunded?: number;
  /** Where an open one can be paid. */
  payurl?: string | null;
}

/** A sign-in of the own user that has not ended. */
export interface SignIn {
  usersessionid: number;
  createdon: string;
  lastused: string;
  expireson: string;
  ip: string | null;
  useragent: string | null;
}

/** An entry of the audit log. */
export interface AuditEvent {
  auditid: number;
  appuserid: number | null;
  keyid: number | null;
  event: string;
  target: string | null;
  ip: string | null;
  createdon: string;
}

/** One change of a credit balance. */
export interface LedgerRow {
  ledgerid: number;
  createdon: string;
  kind: "contactcredit" | "bus_email_credits" | "personal_email_credits";
  delta: number;
  balance_after: number;
  reason: string;
  actor: number | null;
  keyid: number | null;
}

export interface List<Row> {
  resource: Row[];
  meta?: { count?: number };
}

/** The caller's own tags and note on a contact. */
export interface ContactMeta {
  contactid: number;
  tags: string[];
  note: string;
}

/** A bulk look-up of the caller, as the list of them shows it. */
export interface BulkJobRow {
  jobid: number;
  status: "queued" | "running" | "done" | "cancelled";
  total: number;
  charged: number;
  createdon: string;
}

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
  contactfeedback: Feedback & { feedbackid: number };
  usersession: SignIn;
  auditlog: AuditEvent;
  creditledger: LedgerRow;
}

export type Balances = Pick<Credits, "contactcredit" | "bus_email_credits" | "personal_email_credits">;
