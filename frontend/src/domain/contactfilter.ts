/** The filters and orders of My Contacts, as the filter grammar of the API writes them. Pure. */

export interface ContactFilter {
  /** A part of the name. */
  text?: string | undefined;
  /** The text may also be a part of the title, the company or its domain. */
  work?: boolean | undefined;
  /** The whole name of the company, in capitals or not. */
  company?: string | undefined;
  phone?: boolean | undefined;
  email?: boolean | undefined;
  personal?: boolean | undefined;
  verified?: boolean | undefined;
  /** The user that revealed any value of the contact. */
  by?: number | undefined;
  /** An account: all of its contacts instead of the user's own list. */
  client?: number | undefined;
  /** One of the user's own tags. */
  tag?: string | undefined;
  /** YYYY-MM-DD. */
  since?: string | undefined;
  /** Without contacts that were removed. */
  present?: boolean | undefined;
}

export const ORDERS = {
  newest: "createdon DESC",
  oldest: "createdon ASC",
  name: "name ASC",
  "-name": "name DESC",
} as const;

export type ContactOrder = keyof typeof ORDERS;
export const NEWEST_FIRST: ContactOrder = "newest";

export const isOrder = (text: string | null): text is ContactOrder => text !== null && Object.hasOwn(ORDERS, text);

const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`).replaceAll("'", "''");

const WORK = ["title", "company", "company_domain"];

function contains(fields: string[], text: string): string {
  const terms = fields.map((field) => `(${field} ilike '%${escaped(text)}%')`);
  return terms.length > 1 ? `(${terms.join(" or ")})` : terms.join("");
}

/** The conditions joined by AND; undefined if there are none. */
export function contactFilter({ text, work, company, phone, email, personal, verified, by, client, tag, since, present }: ContactFilter): string | undefined {
  const conditions = [
    text && contains(work ? ["name", ...WORK] : ["name"], text),
    company && `(company ilike '${escaped(company)}')`,
    phone && "(phonecost=1)",
    email && "(businessemailcost=1)",
    personal && "(personalemailcost=1)",
    verified && "(bus_email_validation='valid')",
    client && `(clientid=${client})`,
    by && `((revealedby=${by}) or (dialrevealedby=${by}))`,
    tag && `(contactmeta_by_contactid.tags contains ('${tag.replaceAll("'", "''")}'))`,
    since && `(createdon>='${since}')`,
    present && "(deleted=0)",
  ].filter(Boolean);
  return conditions.length > 0 ? conditions.join(" and ") : undefined;
}
