/** The calls to the app's server, with the session of the person who is signed in there. */
import { t } from "./texts.js";

/** Where the app keeps its session and what it is called. Runs in the app's page: it may use nothing from outside. */
export async function sessionOfPage() {
  try {
    const response = await fetch("/api/v2/config");
    const { brandname, dataset, appkey } = await response.json();
    const session = JSON.parse(localStorage.getItem("session") ?? "null")?.state?.session;
    if (!dataset || !session) return null;
    return { origin: location.origin, brand: brandname, dataset, appkey, token: session.sessionToken, email: session.emailid, language: document.documentElement.lang };
  } catch {
    return null;
  }
}

/** Sends one call and returns its answer. A refusal is an Error with the server's sentence and the status. */
async function call({ origin, appkey, token }, method, path, body) {
  const headers = { "X-API-Key": appkey, "X-Session-Token": token, ...(body && { "Content-Type": "application/json" }) };
  const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${origin}/api/v2/${path}`, request).catch(() => {
    throw new Error(t("unreachable", { host: new URL(origin).host }));
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(answer.error?.message ?? t("wrong")), { status: response.status });
  return answer;
}

/** Starts a look-up of the addresses, or with `estimateonly` says what it would cost. */
export const lookUp = (account, urls, kinds, options) => call(account, "POST", "bulklookup", { urls, kinds, ...options });

/** The person of a profile, with a mask in place of what was not paid for; undefined when nobody is known there. */
export async function personOf(account, linkedinurl) {
  const { data } = await call(account, "POST", "searchurl", { linkedinurl, personal: true, business: true, phone: true });
  return data[0];
}

/** Reveals one kind of contact data; returns the credits that are left. */
export async function reveal(account, linkedinurl, type) {
  const { credits } = await call(account, "POST", "getcontact", { linkedinurl, type, action: "reveal" });
  return credits;
}

export const creditsOf = async (account) => (await call(account, "GET", "account/credits")).credits;

const table = ({ dataset }, name) => `${dataset}/_table/${name}`;

export const listsOf = async (account) => (await call(account, "GET", `${table(account, "contactlist")}?order=name%20ASC`)).resource;

/** Puts a person on the list of that name, which is made if there is none. Returns false for a person already on it. */
export async function addToList(account, lists, name, linkedinurl) {
  const listid =
    lists.find((list) => list.name === name)?.listid ?? (await call(account, "POST", table(account, "contactlist"), { resource: [{ name }] })).resource[0].listid;
  const { resource } = await call(account, "POST", `${table(account, "contactlistitem")}?fields=*`, { resource: [{ listid, linkedinurl }] });
  return resource[0].added !== false;
}
