/** The calls to the app's server, with the session of the signed-in user. */
import { errorTextIn } from "./errortexts.js";
import { locale, spoken, t } from "./texts.js";

/** Reads the session and the name of the app. Runs in the app's page, so it must not use anything from outside. */
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

/** The server's message in the language of the panel; in English if there is no translation. */
function messageOf({ message, context } = {}) {
  return errorTextIn(spoken(), context ?? {}, (value) => value.toLocaleString(locale())) ?? message ?? t("wrong");
}

/** Sends one call and returns its response. A rejection is an Error with the server's message and the status. */
async function call({ origin, appkey, token }, method, path, body) {
  const headers = { "X-API-Key": appkey, "X-Session-Token": token, ...(body && { "Content-Type": "application/json" }) };
  const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${origin}/api/v2/${path}`, request).catch(() => {
    throw new Error(t("unreachable", { host: new URL(origin).host }));
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(messageOf(answer.error)), { status: response.status });
  return answer;
}

/** Starts a look-up of the addresses, or with `estimateonly` returns its cost. */
export const lookUp = (account, urls, kinds, options) => call(account, "POST", "bulklookup", { urls, kinds, ...options });

/** The person of a profile, with unpaid values masked; undefined for an unknown profile. */
export async function personOf(account, linkedinurl) {
  const { data } = await call(account, "POST", "searchurl", { linkedinurl, personal: true, business: true, phone: true });
  return data[0];
}

/** Reveals one kind of contact data; returns the credits that are left. */
export async function reveal(account, linkedinurl, type) {
  const { credits } = await call(account, "POST", "getcontact", { linkedinurl, type, action: "reveal" });
  return credits;
}

/** Reports a value as wrong: `outofservice`, or `invalid` with the right value. */
export const report = (account, linkedin_url, type, info, downvotereason, reasonnote) =>
  call(account, "POST", table(account, "contactfeedback"), {
    resource: [{ linkedin_url, action: "downvote", info, type: type === "directdial" ? "phone" : type, downvotereason, reasonnote }],
  });

export const creditsOf = async (account) => (await call(account, "GET", "account/credits")).credits;

const table = ({ dataset }, name) => `${dataset}/_table/${name}`;

export const listsOf = async (account) => (await call(account, "GET", `${table(account, "contactlist")}?order=name%20ASC`)).resource;

/** Adds a person to the list with this name, which is created if necessary. Returns false for a person already on it.
 */
export async function addToList(account, lists, name, linkedinurl) {
  const listid =
    lists.find((list) => list.name === name)?.listid ?? (await call(account, "POST", table(account, "contactlist"), { resource: [{ name }] })).resource[0].listid;
  const { resource } = await call(account, "POST", `${table(account, "contactlistitem")}?fields=*`, { resource: [{ listid, linkedinurl }] });
  return resource[0].added !== false;
}
