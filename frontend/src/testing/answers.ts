/** Responses of the server for tests of screens. */
import type { Config } from "../api/config";
import type { Account, Credits, Found, Plan, Subscription, UserContact } from "../api/types";

export const CONFIG: Config = {
  brandname: "Openlead",
  appkey: "app-key",
  dataset: "leads",
  demo: false,
  publicurl: "http://localhost",
  googleenabled: false,
  linkedinenabled: false,
  stripepublishablekey: null,
};

const CREDITS: Credits = {
  usercreditid: 1,
  clientid: 1,
  contactcredit: 5,
  bus_email_credits: 4,
  personal_email_credits: 3,
  emailcredit: 7,
  seatcount: 2,
  apicallcount: 1,
  contactcredit_bought: 0,
  bus_email_credits_bought: 0,
  personal_email_credits_bought: 0,
};

const STARTER = planAnswer(2, "Starter", { availableseats: 5, availableapicall: 2 });

export function planAnswer(planid: number, name: string, part: Partial<Plan> = {}): Plan {
  const sku = name.toLowerCase().replaceAll(" ", "_");
  const credits = { contactcredit: 0, bus_email_credits: 0, personal_email_credits: 0 };
  const limits = { availableseats: 5, availableapicall: 0, apiaccess: 0, searchpages: 0, searchpeople: 0 };
  return { planid, name, sku, price: 49, validity: 30, details: "", isaddon: 0, new_features_json: null, ...limits, ...credits, ...part };
}

type Parts = Partial<Account> & { credits?: Partial<Credits>; subscription?: Partial<Subscription>; plan?: Plan };

export function accountAnswer({ credits = {}, subscription = {}, plan = STARTER, ...user }: Parts = {}): Account {
  return {
    appuserid: 1,
    clientid: 1,
    name: "Olivia Brandt",
    firstname: "Olivia",
    lastname: "Brandt",
    email: "owner@acme-demo.com",
    afid: "af-1",
    phonenumber: "",
    avatar: null,
    role: "client",
    isactive: 1,
    isverified: 1,
    isdeleted: 0,
    invitestatus: "accepted",
    mustchangepassword: 0,
    haspassword: 1,
    hasmfa: 0,
    lastloginon: null,
    language: null,
    createdon: "2026-01-10 09:00:00+00",
    session_token: "token",
    usersessionid: 1,
    client_by_clientid: {
      clientid: 1,
      companyname: "Acme",
      phonenumber: "",
      country: null,
      salespeoplecount: 0,
      requiredleadcount: 0,
      department: "",
      taxid: "",
      billingaddress: "",
      createdon: "2026-01-10 09:00:00+00",
      usercredit_by_clientid: [{ ...CREDITS, ...credits }],
      usersubscription_by_clientid: [
        {
          subscriptionid: 1,
          clientid: 1,
          status: "active",
          startdate: "2026-11-20 00:00:00+00",
          graceuntil: null,
          downgrade_planid: null,
          downgrade_startson: null,
          stripe_subid: null,
          createdon: "2026-01-10 09:00:00+00",
          planid: plan.planid,
          sku: plan.sku,
          autorenew: 1,
          expirydate: "2099-12-20 00:00:00+00",
          transactionid: 1,
          isactive: 1,
          subscriptionplan_by_planid: plan,
          ...subscription,
        },
      ],
    },
    ...user,
  };
}

export const MASKED: Found = {
  full_name: "Maya Thornton",
  company_domain: "",
  city: "",
  firstseen: null,
  lastchecked: null,
  title: "",
  company: "",
  country: "",
  linkedinurl: "https://www.linkedin.com/in/maya",
  emails: [
    { address: "*****@****.***", type: "business", encrypted: true, validation: "valid" },
    { address: "*****@****.***", type: "personal", encrypted: true, validation: null },
  ],
  phone_numbers: ["+**********"],
  phone_encrypted: true,
  business_email_encrypted: true,
  personal_email_encrypted: true,
  bus_email_validation: "valid",
};

export function contactAnswer(contactid: number, part: Partial<UserContact> = {}): UserContact {
  return {
    contactid,
    name: `Person ${contactid}`,
    linkedinurl: `https://www.linkedin.com/in/p${contactid}`,
    emails: JSON.stringify([{ address: `p${contactid}@home.example`, type: "personal" }]),
    business_emails: `p${contactid}@work.example`,
    bus_email_validation: "valid",
    phone_numbers: `+1415555${1000 + contactid}`,
    phonecost: 1,
    businessemailcost: 1,
    personalemailcost: 1,
    deleted: 0,
    revealedby: 1,
    dialrevealedby: 1,
    createdon: "2026-01-10 09:00:00+00",
    ...part,
  };
}
