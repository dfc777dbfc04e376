// How a project presents its API on this page: groups, words and examples of its reference.json. All of it is optional.
//
//   groups    [{"name": "Contacts", "calls": ["searchurl", "usercontact"]}]  scripts by path, tables by name, in order
//   titles    {"getKeylookup": "Look up a person"}      operations by their id
//   words     {"usercontact": ["contact", "contacts"]}  what one record and several records of a table are called
//   examples  {"email": "ada@example.com", "tags": []}  values of fields and parameters by name, or of a whole list
//   session   ["session", "state", "token"]             where its front end keeps a session token: item of localStorage, path
//   keys      {"table": "apikeys", "field": "apikey"}   where a signed-in user finds a key of the account
import { h } from "./elements.js";
import { MOUNT, credentials, store } from "./request.js";

const OTHERS = "More calls";
export const guide = await fetch(new URL("reference.json", import.meta.url)).then((response) => response.json()).catch(() => ({}));

/** Values for fields whose name or format says what they hold. */
const FORMATS = { date: "2026-11-24", "date-time": "2026-11-24T09:30:00Z", time: "09:30:00", uuid: "0b9f1f0e-6c1c-4b62-9d6f-0d5a3a5f7c11", email: "ada@example.com", uri: "https://example.com/" };
const NAMES = [
  [/e?mail/i, "ada@example.com"], [/phone|dial|mobile/i, "+1 415 555 0132"], [/url|link|website/i, "https://example.com/"],
  [/^(?:full_?)?name$|person|user_?name/i, "Ada Berg"], [/domain/i, "example.com"], [/company|organi[sz]ation/i, "Example Ltd"], [/city|town/i, "Oslo"],
  [/country/i, "Norway"], [/currency/i, "EUR"], [/title|subject/i, "A title"], [/note|text|body|comment|description/i, "A short text"],
  [/status|state/i, "open"], [/name/i, "Example"],
];

/** Return an example value for a text or number named `name`; undefined where nothing is known. */
export function exampleOf(name, { type, format }) {
  const own = guide.examples?.[name];
  if (own !== undefined) return own;
  const kind = [type].flat()[0];
  if (kind === "string") return FORMATS[format] ?? NAMES.find(([pattern]) => pattern.test(name))?.[1];
  if (kind === "integer" || kind === "number") return /price|amount|cost|total/i.test(name) ? 19.9 : 1;
  return undefined;
}

const tableOf = (path) => /\/_table\/([^/{]+)/.exec(path)?.[1];
const callOf = (path) => tableOf(path) ?? path.replace(/^\/api\/v2\//, "").replace(/\/\{.*$/, "");

/** Return the title of an operation from the first sentence of its summary. */
export function titleOf({ operationId, path }, sentence) {
  if (guide.titles?.[operationId]) return guide.titles[operationId];
  const table = tableOf(path);
  const [one, many] = guide.words?.[table] ?? [];
  return one ? sentence.replace(`one record of ${table}`, `one ${one}`).replace(`records of ${table}`, many).replace(`changes of ${table}`, `changes of ${many}`) : sentence;
}

/** Return the name and rank of the group of an operation; `tag` is that of the document, `order` the rank of each tag. */
export function placeOf(operation, order) {
  const call = callOf(operation.path);
  const groups = guide.groups ?? [];
  const number = groups.findIndex(({ calls }) => calls.includes(call));
  if (number >= 0) return { group: groups[number].name, rank: number * 1000 + groups[number].calls.indexOf(call) };
  const tag = operation.tags?.[0] ?? "";
  const others = groups.length > 0 && tag === "scripts";
  return { group: others ? OTHERS : tag, rank: 1e6 + (order.get(tag) ?? order.size) + (others ? 1e6 : 0) };
}

/** Take the session of the project's front end, as it is now, unless a token was entered in this tab. */
export function useSession() {
  const [item, ...path] = guide.session ?? [];
  const [own, taken] = [store.getItem("token") ?? "", store.getItem("taken") ?? ""];
  if (!item || (own && own !== taken)) return;
  let token;
  try {
    token = path.reduce((inner, name) => inner?.[name], JSON.parse(localStorage.getItem(item)));
  } catch {
    token = "";
  }
  token = typeof token === "string" ? token : "";
  store.setItem("token", token);
  store.setItem("taken", token);
}

/** Return a button that puts a key of the signed-in user's account into an input; null where there is none to find. */
export function keyButton(input, dataset, update) {
  if (!guide.keys || !store.getItem("token") || !dataset) return null;
  const { table, field, filter = "" } = guide.keys;
  const button = h("button", { type: "button", class: "plain" }, "Fill in my key");
  button.addEventListener("click", async () => {
    const query = new URLSearchParams({ fields: field, limit: "1", filter });
    const response = await fetch(`${MOUNT}/api/v2/${dataset}/_table/${table}?${query}`, { headers: credentials() }).then((each) => each.json()).catch(() => null);
    const key = response?.resource?.[0]?.[field];
    if (key) {
      input.value = key;
      update();
    }
    button.textContent = key ? "Filled in" : "No key found";
  });
  return button;
}
