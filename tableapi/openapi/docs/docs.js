// The page /api/docs: shows the OpenAPI document of the API and sends requests. It uses no library.

const $ = (id) => document.getElementById(id);
// Use getItem and setItem only: `sessionStorage.key` is a method.
const store = sessionStorage;
let spec = { paths: {}, components: {} };
let operations = [];
let datasets = [];
const MAX_LINKS = 300; // shown in a list at once

/** The path that the API is mounted under, "" for none: this file is <mount>/api/docs/docs.js. */
const MOUNT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** One database is shown at a time; the address names it: #<database>/<operation>. */
const database = () => (datasets.length > 1 ? $("dataset").value : "");
const address = () => `${MOUNT}/api/v2/${database() ? `${encodeURIComponent(database())}/` : ""}_spec`;
const place = () => decodeURIComponent(location.hash.slice(1));
const here = () => (database() ? place().slice(database().length + 1) : place());
const link = (id) => `#${database() ? `${encodeURIComponent(database())}/` : ""}${encodeURIComponent(id)}`;

/** Select the database that the address names, or the first; returns whether the selection changed. */
function choose() {
  const before = $("dataset").value;
  const named = place().split("/")[0];
  $("dataset").value = datasets.includes(named) ? named : before || datasets[0] || "";
  return $("dataset").value !== before;
}

/** Create an element: h("a", { href: "/" }, "text", child). Strings become text nodes, never HTML. */
function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

/** Return text and `code` elements for a text with backquotes. */
const prose = (text) => text.split("`").map((part, number) => (number % 2 ? h("code", {}, part) : part));

const deref = (node) =>
  node && node.$ref ? deref(node.$ref.split("/").slice(1).reduce((found, part) => found[part], spec)) : node;

function credentials() {
  const headers = {};
  const [key, token] = [store.getItem("key"), store.getItem("token")];
  if (key) headers["X-API-Key"] = key;
  if (token) headers["X-Session-Token"] = token;
  return headers;
}

async function load() {
  const url = address();
  $("main").replaceChildren(h("p", { class: "quiet" }, "Loading …"));
  $("list").replaceChildren();
  $("document").href = url;
  const answer = await fetch(url, { headers: credentials() });
  const body = await answer.json();
  if (url !== address()) return; // another database was selected in the meantime
  if (!answer.ok) {
    $("credentials").open = true;
    $("main").replaceChildren(h("h2", {}, "Credentials are needed"), h("p", {}, body.error.message));
    return;
  }
  spec = body;
  document.title = $("title").textContent = `${spec.info.title} API`;
  operations = Object.entries(spec.paths).flatMap(([path, item]) =>
    ["get", "post", "put", "patch", "delete"]
      .filter((verb) => item[verb])
      .map((verb) => ({ path, verb, shared: item.parameters ?? [], ...item[verb] })),
  );
  list();
  show();
}

function list() {
  const text = $("search").value.trim().toLowerCase();
  const groups = Map.groupBy
    ? Map.groupBy(operations, (one) => one.tags?.[0] ?? "")
    : operations.reduce((map, one) => map.set(one.tags[0], [...(map.get(one.tags[0]) ?? []), one]), new Map());
  const current = here();
  const made = [];
  let left = MAX_LINKS;
  for (const [tag, members] of groups) {
    const matches = members.filter((one) => `${one.verb} ${one.path} ${one.summary}`.toLowerCase().includes(text));
    if (!matches.length) continue;
    const links = () => matches.map((one) =>
      h("a", { href: link(one.operationId), "aria-current": one.operationId === current ? "page" : undefined },
        h("span", { class: `verb ${one.verb}` }, one.verb.toUpperCase()), h("span", {}, one.summary)));
    const open = (text && left > 0) || groups.size < 4 || matches.some((one) => one.operationId === current);
    left -= open ? matches.length : 0;
    const group = h("details", { open: open ? "" : undefined }, h("summary", {}, tag), ...(open ? links() : []));
    group.addEventListener("toggle", () => group.childElementCount > 1 || group.append(...links()));
    made.push(group);
  }
  $("list").replaceChildren(...made);
}

function typeOf(schema) {
  const resolved = deref(schema) ?? {};
  if (resolved.anyOf) return resolved.anyOf.map(typeOf).join(" or ");
  if (resolved.enum) return resolved.enum.map((one) => JSON.stringify(one)).join(" | ");
  return [resolved.type ?? "any"].flat().join(" or ") + (resolved.format ? ` (${resolved.format})` : "");
}

/** Return an example body: the required fields, or the first three. */
function example(schema, depth = 0) {
  const resolved = deref(schema) ?? {};
  if (resolved.anyOf) return example(resolved.anyOf[0], depth);
  if (resolved.enum) return resolved.enum[0];
  if (resolved.const !== undefined) return resolved.const;
  const type = [resolved.type].flat()[0];
  if (type === "array") return depth > 4 ? [] : [example(resolved.items, depth + 1)];
  if (type === "object") {
    const names = Object.keys(resolved.properties ?? {}).filter((name) => !deref(resolved.properties[name]).readOnly);
    const chosen = resolved.required?.length ? names.filter((name) => resolved.required.includes(name)) : names.slice(0, 3);
    return Object.fromEntries(chosen.map((name) => [name, example(resolved.properties[name], depth + 1)]));
  }
  return { integer: 0, number: 0, boolean: false, string: "", null: null }[type] ?? "";
}

function schemaTable(schema) {
  const resolved = deref(schema) ?? {};
  const rows = Object.entries(resolved.properties ?? {}).map(([name, one]) =>
    h("tr", {}, h("td", {}, name, resolved.required?.includes(name) ? " *" : ""), h("td", {}, typeOf(one)),
      h("td", { class: "quiet" }, deref(one).description ?? "")));
  return rows.length ? h("table", {}, h("tbody", {}, ...rows)) : h("p", { class: "quiet" }, typeOf(schema));
}

/** Return the schema of the record inside a list or body. */
function record(schema) {
  const resolved = deref(schema) ?? {};
  if (resolved.anyOf) return record(resolved.anyOf[0]);
  if (resolved.properties?.resource) return record(resolved.properties.resource);
  if (resolved.items) return record(resolved.items);
  return resolved;
}

function show() {
  const one = operations.find((operation) => operation.operationId === here()) ?? operations[0];
  if (!one) {
    $("main").replaceChildren(h("p", { class: "quiet" }, "Nothing may be called with these credentials."));
    return;
  }
  const parameters = [...one.shared, ...(one.parameters ?? [])].map(deref);
  const inputs = parameters.map((parameter, number) => ({ parameter, input: h("input", { id: `p${number}`, placeholder: typeOf(parameter.schema) }) }));
  const sent = one.requestBody && deref(one.requestBody).content;
  const schema = sent?.["application/json"]?.schema;
  const body = schema ? h("textarea", { "aria-label": "Body", spellcheck: "false" }) : null;
  if (body) body.value = JSON.stringify(example(schema), null, 2);
  const state = h("span", { role: "status" });
  const result = h("pre", { hidden: "" });
  const send = async (event) => {
    event.preventDefault();
    state.textContent = "…";
    const { status, text, time } = await run(one, inputs, body);
    state.textContent = `${status} in ${time} ms`;
    result.hidden = false;
    result.textContent = text;
  };
  const fields = inputs.map(({ parameter, input }) =>
    h("div", { class: "field" }, h("label", { for: input.id }, parameter.name, parameter.required ? " *" : ""), input,
      h("small", {}, parameter.in === "header" ? "Header. " : "", ...prose(parameter.description ?? ""))));
  const plain = fields.filter((_, number) => !parameters[number].name.includes("."));
  const related = fields.filter((_, number) => parameters[number].name.includes("."));
  const answer = one.responses["200"]?.content?.["application/json"]?.schema;
  const errors = Object.entries(one.responses).filter(([status]) => status >= "400").map(([status, response]) =>
    h("tr", {}, h("td", {}, status), h("td", {}, deref(response).description)));
  $("main").replaceChildren(
    h("h2", {}, one.summary.split("\n")[0]),
    h("p", { class: "quiet" }, one.description ?? ""),
    h("div", { class: "path" }, h("span", { class: `verb ${one.verb}` }, one.verb.toUpperCase()), " ", h("code", {}, one.path)),
    h("form", { onsubmit: send },
      fields.length ? h("h3", {}, "Parameters") : null, ...plain,
      related.length ? h("details", {}, h("summary", {}, "Options of relations"), ...related) : null,
      body ? h("h3", {}, "Body") : null, body,
      h("div", { class: "send" }, h("button", {}, "Send"), state), result),
    ...(schema ? [h("h3", {}, "Fields of the body"), schemaTable(record(schema))] : []),
    ...(answer ? [h("h3", {}, "Fields of the answer"), schemaTable(record(answer))] : []),
    h("h3", {}, "Errors"), h("table", {}, h("tbody", {}, ...errors)),
  );
}

async function run(one, inputs, body) {
  const query = new URLSearchParams();
  const headers = credentials();
  let path = one.path;
  for (const { parameter, input } of inputs) {
    if (input.value === "") continue;
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    else if (parameter.in === "header") headers[parameter.name] = input.value;
    else query.set(parameter.name, input.value);
  }
  if (body) headers["Content-Type"] = "application/json";
  const began = performance.now();
  try {
    const answer = await fetch(MOUNT + path + (query.size ? `?${query}` : ""), { method: one.verb.toUpperCase(), headers, body: body?.value });
    const text = await answer.text();
    const json = answer.headers.get("content-type")?.includes("json");
    return { status: answer.status, text: json && text ? JSON.stringify(JSON.parse(text), null, 2) : text, time: Math.round(performance.now() - began) };
  } catch (error) {
    return { status: "No answer", text: String(error), time: Math.round(performance.now() - began) };
  }
}

$("document").addEventListener("click", async (event) => {
  event.preventDefault(); // following a link would send no credentials
  const text = await fetch(address(), { headers: credentials() }).then((answer) => answer.blob());
  const url = URL.createObjectURL(text);
  h("a", { href: url, download: database() ? `${database()}.json` : "openapi.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
});
$("search").addEventListener("input", list);
window.addEventListener("hashchange", async () => {
  if (choose()) await load();
  else { list(); show(); }
  $("main").focus();
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

const config = await fetch(`${MOUNT}/api/v2/config`).then((answer) => answer.json()).catch(() => ({}));
if (store.getItem("key") === null) store.setItem("key", config.appkey ?? "");
datasets = config.datasets ?? [];
$("dataset").append(...datasets.map((name) => h("option", { value: name }, name)));
$("choice").hidden = datasets.length < 2;
choose();
$("key").value = store.getItem("key");
$("token").value = store.getItem("token") ?? "";
await load();
