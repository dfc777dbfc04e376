/** The filters of People Search and Company Search: in the address, on the screen and in requests. Pure. */

/** Filters with any number of values, each wanted or excluded. */
export const PEOPLE_FIELDS = ["title", "seniority", "function", "company", "company_size", "industry", "country", "city", "has", "verification"] as const;
export const COMPANY_FIELDS = ["industry", "company_size", "country", "city"] as const;

export type Field = (typeof PEOPLE_FIELDS)[number];

export const SENIORITIES = ["owner", "c_suite", "vp", "head", "director", "manager", "senior", "entry", "intern", "staff"] as const;
export const FUNCTIONS = ["sales", "marketing", "engineering", "product", "data", "it", "design", "finance", "hr", "legal", "operations", "procurement", "customer_success", "management"] as const;
export const SIZES = ["1-10", "11-50", "51-200", "201-500", "501-1000", "1001-5000", "5001-10000", "10001+"] as const;
export const HAS = ["directdial", "businessemail", "personalemail"] as const;
export const VERIFICATIONS = ["valid", "accept_all", "risky", "unknown"] as const;

/** One value of a filter. */
export interface Term {
  value: string;
  not: boolean;
}

export interface Asked {
  name: string;
  terms: Partial<Record<Field, Term[]>>;
  order: string;
}

type Lists = Partial<Record<Field, string[]>>;
export type PeopleFilters = Omit<Lists, "title"> & { name?: string; title?: string; order?: string; not?: Lists };
export type CompanyFilters = Lists & { name?: string; order?: string; not?: Lists };

const MOST = 50;
const LONGEST = 200;
const NOT = "!";

/** Repeated parameters, such as `company=Acme&company=!Basalt`: an exclamation mark excludes. */
export function readAsked(params: URLSearchParams, fields: readonly Field[]): Asked {
  const terms: Asked["terms"] = {};
  for (const field of fields) {
    const found = params
      .getAll(field)
      .map((text) => ({ value: text.replace(/^!/, "").trim().slice(0, LONGEST), not: text.startsWith(NOT) }))
      .filter(({ value }) => value !== "")
      .slice(0, MOST);
    if (found.length > 0) terms[field] = found;
  }
  return { name: (params.get("name") ?? "").slice(0, LONGEST), terms, order: params.get("order") ?? "" };
}

export function writeAsked({ name, terms, order }: Asked): URLSearchParams {
  const params = new URLSearchParams();
  if (name) params.set("name", name);
  for (const [field, values] of Object.entries(terms)) for (const { value, not } of values) params.append(field, `${not ? NOT : ""}${value}`);
  if (order) params.set("order", order);
  return params;
}

/** Whether any filter is set: without one, a search covers the whole directory. */
export const isAsked = ({ name, terms }: Asked): boolean => name !== "" || Object.values(terms).some((values) => values.length > 0);

const valuesOf = (terms: Asked["terms"], not: boolean): Lists =>
  Object.fromEntries(
    Object.entries(terms)
      .map(([field, values]) => [field, values.filter((term) => term.not === not).map(({ value }) => value)] as const)
      .filter(([, values]) => values.length > 0),
  );

export function companyFilters({ name, terms, order }: Asked): CompanyFilters {
  const not = valuesOf(terms, true);
  return { ...(name && { name }), ...valuesOf(terms, false), ...(Object.keys(not).length > 0 && { not }), ...(order && { order }) };
}

/** The server accepts the wanted titles as one text and matches its words in any order. */
export function peopleFilters(asked: Asked): PeopleFilters {
  const { title, ...others } = companyFilters(asked);
  return { ...others, ...(title && { title: title.join(" ") }) };
}

const listOf = (value: unknown): string[] => [value].flat().filter((one): one is string => typeof one === "string" && one !== "");
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The search of saved filters, to show them again. */
export function askedOf(filters: Record<string, unknown>, fields: readonly Field[]): Asked {
  const not = (filters["not"] ?? {}) as Record<string, unknown>;
  const terms: Asked["terms"] = {};
  for (const field of fields) {
    const values = [...listOf(filters[field]).map((value) => ({ value, not: false })), ...listOf(not[field]).map((value) => ({ value, not: true }))];
    if (values.length > 0) terms[field] = values;
  }
  return { name: textOf(filters["name"]), terms, order: textOf(filters["order"]) };
}
