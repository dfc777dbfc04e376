// The page /api/docs: shows the OpenAPI document of the API and sends requests. It uses no library.
import { h, sentences } from "./elements.js";
import { exampleOf, placeOf, titleOf, useSession } from "./guide.js";
import { MOUNT, credentials, setExamples, store } from "./request.js";
import { operationPage, startPage } from "./views.js";

const $ = (id) => document.getElementById(id);
const START = "start"; // the page with the first call, in the place of an operation
const MAX_LINKS = 300; // shown in a list at once
let spec = { paths: {}, components: {} };
let operations = [];
let datasets = [];

/** One database is shown at a time; the address names it: #<database>/<operation>. */
const database = () => (datasets.length > 1 ? $("dataset").value : "");
const address = () => `${MOUNT}/api/v2/${database() ? `${encodeURIComponent(database())}/` : ""}_spec`;
const place = () => decodeURIComponent(location.hash.slice(1));
const here = () => (database() ? place().slice(database().length + 1) : place());
const link = (id) => `#${database() ? `${encodeURIComponent(database())}/` : ""}${encodeURIComponent(id)}`;
const secured = () => Object.keys(spec.components.securitySchemes ?? {}).length > 0;
const shown = () => operations.find((operation) => operation.operationId === here());
const startsHere = () => secured() && !shown();

/** Select the database that the address names, or the first; returns whether the selection changed. */
function choose() {
  const before = $("dataset").value;
  const named = place().split("/")[0];
  $("dataset").value = datasets.includes(named) ? named : before || datasets[0] || "";
  return $("dataset").value !== before;
}

async function load() {
  const requested = address();
  $("main").replaceChildren(h("p", { class: "quiet" }, "Loading …"));
  $("list").replaceChildren();
  $("document").href = requested;
  const response = await fetch(requested, { headers: credentials() });
  const body = await response.json();
  if (requested !== address()) return; // another database was selected in the meantime
  if (!response.ok) {
    $("credentials").open = true;
    $("main").replaceChildren(h("h2", {}, "Credentials are needed"), h("p", { class: "lead" }, body.error.message));
    return;
  }
  spec = body;
  $("title").textContent = `${spec.info.title} API`;
  operations = inOrder(Object.entries(spec.paths).flatMap(([path, item]) =>
    ["get", "post", "put", "patch", "delete"]
      .filter((verb) => item[verb])
      .map((verb) => ({ path, verb, shared: item.parameters ?? [], ...item[verb] })),
  ));
  list();
  show();
}

/** Sort operations by the groups of the project, then by the order of the tags of the document. */
function inOrder(all) {
  const order = new Map((spec.tags ?? []).map(({ name }, number) => [name, number]));
  const placed = all.map((operation) => ({ ...operation, ...placeOf(operation, order), title: titleOf(operation, sentences(operation.summary)[0]) }));
  return placed.toSorted((one, other) => one.rank - other.rank);
}

function list() {
  const words = $("search").value.trim().toLowerCase();
  const groups = new Map();
  for (const operation of operations) {
    const tag = operation.group;
    if (!groups.has(tag)) groups.set(tag, []);
    groups.get(tag).push(operation);
  }
  const current = shown()?.operationId ?? (secured() ? START : operations[0]?.operationId);
  const entries = [];
  let left = MAX_LINKS;
  for (const [tag, members] of groups) {
    const matching = members.filter(({ verb, path, summary, title }) => `${verb} ${path} ${summary} ${title}`.toLowerCase().includes(words));
    if (!matching.length) continue;
    const links = () => matching.map((operation) =>
      h("a", { href: link(operation.operationId), "aria-current": operation.operationId === current ? "page" : undefined },
        h("span", { class: `verb ${operation.verb}` }, operation.verb.toUpperCase()), h("span", {}, operation.title)));
    const first = entries.length === 0 && !words;
    const open = (words && left > 0) || groups.size < 4 || first || matching.some((operation) => operation.operationId === current);
    left -= open ? matching.length : 0;
    const group = h("details", { open: open ? "" : undefined }, h("summary", {}, tag), ...(open ? links() : []));
    group.addEventListener("toggle", () => group.childElementCount > 1 || group.append(...links()));
    entries.push(group);
  }
  const start = secured() && "get started authentication login credentials errors".includes(words)
    ? [h("a", { class: "start", href: link(START), "aria-current": current === START ? "page" : undefined }, "Get started")]
    : [];
  const nothing = start.length + entries.length === 0;
  $("list").replaceChildren(...start, ...entries, ...(nothing ? [h("p", { class: "none" }, `No operation matches “${$("search").value.trim()}”.`)] : []));
  $("found").textContent = nothing ? "No operation matches" : "";
}

function show() {
  const operation = shown() ?? operations[0];
  const title = startsHere() ? "Get started" : operation?.title;
  document.title = [title, `${spec.info.title} API`].filter(Boolean).join(" · ");
  if (startsHere()) $("main").replaceChildren(startPage(spec, operations[0], link, address()));
  else if (operation) $("main").replaceChildren(operationPage(spec, operation, database() || datasets[0]));
  else $("main").replaceChildren(h("p", { class: "quiet" }, "Nothing may be called with these credentials."));
}

$("document").addEventListener("click", async (event) => {
  event.preventDefault(); // following a link would send no credentials
  const text = await fetch(address(), { headers: credentials() }).then((response) => response.blob());
  const url = URL.createObjectURL(text);
  h("a", { href: url, download: database() ? `${database()}.json` : "openapi.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the hash names the operation
  $("main").focus();
});
$("search").addEventListener("input", () => {
  $("operations").open = true;
  list();
});
const narrow = matchMedia("(width < 960px)"); // the list stands above the content
const fold = () => { $("operations").open = !narrow.matches; };
narrow.addEventListener("change", fold);
fold();
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.matches("input, textarea, select")) return;
  event.preventDefault();
  $("search").focus();
});
window.addEventListener("hashchange", async () => {
  if (choose()) await load();
  else { list(); show(); }
  fold();
  $("main").focus({ preventScroll: true });
  window.scrollTo(0, 0);
});
$("dataset").addEventListener("change", () => {
  history.pushState(null, "", link("")); // fires no hashchange
  load();
});
document.querySelector("#credentials form").addEventListener("submit", (event) => {
  event.preventDefault();
  store.setItem("key", $("key").value.trim());
  store.setItem("token", $("token").value.trim());
  $("credentials").open = false;
  load();
});

const config = await fetch(`${MOUNT}/api/v2/config`).then((response) => response.json()).catch(() => ({}));
useSession();
setExamples(({ name, schema }) => (schema?.enum ? undefined : exampleOf(name, { type: "string", ...schema })));
if (store.getItem("key") === null) store.setItem("key", config.appkey ?? "");
datasets = config.datasets ?? [];
if (config.docsurl) Object.assign($("manual"), { href: config.docsurl, hidden: false });
$("dataset").append(...datasets.map((name) => h("option", { value: name }, name)));
$("choice").hidden = datasets.length < 2;
choose();
$("key").value = store.getItem("key");
$("token").value = store.getItem("token") ?? "";
await load();
