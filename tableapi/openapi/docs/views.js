// What the main column shows: how to authenticate, or one operation with a form that sends it.
import { codeBox, h, prose, sentences, tableOf } from "./elements.js";
import { exampleOf, keyButton, titleOf } from "./guide.js";
import { highlighted } from "./highlight.js";
import { build, credentials, filled, ownKeys, send, store } from "./request.js";
import { LANGUAGES, generators, samples } from "./samples.js";
import { reader } from "./schema.js";

const placeOf = (scheme) =>
  scheme.type === "http" ? "Authorization: Bearer …" : `${scheme.name}${scheme.in === "query" ? " in the query" : ": …"}`;

/** Return the rows of credentials. Headers for one thing are in one row, and so is a header for two things. */
function schemeRows(schemes) {
  const rows = [];
  for (const scheme of schemes) {
    const [place, text] = [placeOf(scheme), scheme.description ?? ""];
    const row = rows.find(({ places, texts }) => places.has(place) || (text && texts.has(text)));
    if (row) row.places.add(place), row.texts.add(text);
    else rows.push({ places: new Set([place]), texts: new Set([text]) });
  }
  const lines = (tag, values, attrs) => h("div", {}, ...[...values].map((value) => h(tag, attrs, value)));
  return rows.map(({ places, texts }) => h("div", { class: "scheme" }, lines("code", places, {}), lines("p", texts, { class: "quiet" })));
}

/** Return a box with a request in a language that the reader chooses, and a function that writes it anew. */
function requestBox(request) {
  const text = h("pre", { tabindex: "0" });
  let chosen = LANGUAGES.includes(store.getItem("language")) ? store.getItem("language") : LANGUAGES[0];
  const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Language" });
  const update = () => {
    for (const tab of tabs.children) {
      tab.setAttribute("aria-selected", String(tab.textContent === chosen));
      tab.tabIndex = tab.textContent === chosen ? 0 : -1;
    }
    text.replaceChildren(...highlighted(samples(request())[chosen], chosen));
  };
  const choose = (name) => {
    chosen = name;
    store.setItem("language", name);
    update();
  };
  for (const name of LANGUAGES) tabs.append(h("button", { type: "button", role: "tab", onclick: () => choose(name) }, name));
  tabs.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: LANGUAGES.length - 1 }[key];
    if (!step) return;
    choose(LANGUAGES[(LANGUAGES.indexOf(chosen) + step) % LANGUAGES.length]);
    tabs.children[LANGUAGES.indexOf(chosen)].focus();
  });
  update();
  return { box: codeBox("Request", text, tabs), update };
}

/** Return the start page: credentials, the first call, errors. `address` is that of the document. */
export function startPage(spec, first, link, address) {
  const schemes = schemeRows(Object.values(spec.components.securitySchemes ?? {}));
  const open = h("button", { type: "button" }, "Enter credentials");
  open.addEventListener("click", () => {
    document.getElementById("credentials").open = true;
    document.getElementById("key").focus();
  });
  const { deref } = reader(spec);
  const inputs = first && [...ownKeys(spec, first), ...first.shared, ...(first.parameters ?? [])].map((parameter) =>
    ({ parameter: deref(parameter), input: { value: "" } }));
  const example = first && requestBox(() => build(first, filled(inputs), null)).box;
  const commands = h("pre", { tabindex: "0" }, ...highlighted(generators(location.origin + address, credentials(), spec.security ?? []), "curl"));
  const error = { error: { code: 401, message: "…", status_code: 401, context: { reason: "…", scope: "resource" } } };
  const step = (title, ...children) => h("li", {}, h("h3", {}, title), ...children);
  return h("div", { class: "page" },
    h("div", {},
      h("h2", {}, "Get started"),
      h("p", { class: "lead" }, ...prose("The first call takes half a minute: get a key, copy the request, read the response. You can also send every request "
        + "from this page.")),
      h("ol", { class: "steps" },
        step("Get credentials", h("p", { class: "quiet" }, "Send them as headers with every request."), ...schemes,
          h("div", { class: "send" }, open, store.getItem("token") ? h("span", { class: "status good" }, "Signed in") : null)),
        first ? step("Send the first request",
          h("p", { class: "quiet" }, "Copy the request on this page, or fill in the form: ", h("a", { href: link(first.operationId) }, titleOf(first, sentences(first.summary)[0])), ".")) : null,
        step("Read the response",
          h("p", { class: "quiet" }, ...prose("A success is 200 or 201 with JSON. An error has the HTTP status of its cause: `message` is for people, "
            + "`context.reason` is stable, so programs compare that.")),
          tableOf(["Status", "What to do"], [
            ["400, 422", "Correct the request; the context names the field."],
            ["401", "The credentials are missing, wrong or expired."],
            ["402", "A payment is needed first."],
            ["403", "The credentials do not have the right."],
            ["404", "The record does not exist, or these credentials cannot see it."],
            ["429", "Wait for the seconds in Retry-After. The X-RateLimit-* headers give the limits."],
            ["503", "Repeat after Retry-After."],
          ].map((cells) => h("tr", {}, ...cells.map((cell) => h("td", {}, cell)))))))),
    h("aside", {}, example, codeBox("An error", h("pre", { tabindex: "0" }, ...highlighted(JSON.stringify(error, null, 2), "JSON"))), codeBox("A typed client", commands)));
}

/** Return what an empty field shows: an example of a text, or the type. */
function placeholder({ name, schema, required }, typeOf) {
  const example = required ? exampleOf(name, { type: "string", ...schema }) : undefined;
  return example === undefined ? typeOf(schema) : String(example);
}

/** The width of docs.css below which samples and responses are under the text. */
const MOST = 12; // fields of a record in an example
const ONE_COLUMN = matchMedia("(width < 1280px)");

/** Return an empty form control for a parameter: a list of its values, or a text field. */
function control(parameter, id, { deref, typeOf }) {
  const { type, enum: values = type === "boolean" ? [true, false] : undefined } = deref(parameter.schema) ?? {};
  if (!values) return h("input", { id, placeholder: placeholder(parameter, typeOf), autocomplete: "off", spellcheck: "false" });
  return h("select", { id }, h("option", { value: "" }, ""), ...values.map((value) => h("option", {}, String(value))));
}

/** Return a description with its limits in words: "At most 60 calls in 60 s per ip" is "60 calls a minute for each address". */
const limits = (text) => {
  const spans = { 1: "a second", 60: "a minute", 3600: "an hour", 86400: "a day" };
  const owners = { ip: "address", session: "session", user: "user", account: "account", key: "key" };
  return text.replace(/(\d+) calls in (\d+) s per (\w+)/g, (whole, calls, seconds, per) =>
    spans[seconds] ? `${Number(calls).toLocaleString("en")} calls ${spans[seconds]} for each ${owners[per] ?? per}` : whole);
};

/** Return the page of an operation. */
export function operationPage(spec, operation, dataset) {
  const schemas = reader(spec);
  const { deref, example, table, record } = schemas;
  const parameters = [...ownKeys(spec, operation), ...operation.shared, ...(operation.parameters ?? [])].map(deref);
  const inputs = parameters.map((parameter, number) => ({ parameter, input: control(parameter, `p${number}`, schemas) }));
  const schema = operation.requestBody && deref(operation.requestBody).content?.["application/json"]?.schema;
  const body = schema ? h("textarea", { "aria-label": "Body", spellcheck: "false" }) : null;
  if (body) body.value = JSON.stringify(example(schema), null, 2);

  const { box, update } = requestBox(() => build(operation, filled(inputs), body));
  const state = h("span", { role: "status" });
  const result = h("pre", { tabindex: "0" });
  const answerBox = codeBox("Response", result);
  answerBox.hidden = true;
  const sendRow = h("div", { class: "send" }, h("button", {}, "Send"), state);
  const submit = async (event) => {
    event.preventDefault();
    state.replaceChildren("…");
    const { ok, status, text, time } = await send(build(operation, inputs, body));
    state.replaceChildren(h("span", { class: `status ${ok ? "good" : "bad"}` }, String(status)), ` in ${time} ms`);
    answerBox.hidden = false;
    answerBox.querySelector(".title").replaceChildren("Response");
    result.replaceChildren(...highlighted(text, "JSON"));
    // In one column the aside is at the end of the page, below the fields.
    if (ONE_COLUMN.matches) sendRow.after(answerBox);
  };

  const fields = inputs.map(({ parameter, input }) =>
    h("div", { class: "field" }, h("label", { for: input.id }, parameter.name, parameter.required ? h("span", {}, " *") : null), input,
      parameter.example === "YOUR_API_KEY" ? keyButton(input, dataset, update) : null,
      h("small", {}, parameter.in === "header" ? "Header. " : "", ...prose(parameter.description ?? deref(parameter.schema)?.description ?? ""))));
  const plain = fields.filter((_, number) => !parameters[number].name.includes("."));
  const related = fields.filter((_, number) => parameters[number].name.includes("."));
  const answer = operation.responses["200"]?.content?.["application/json"]?.schema;
  if (answer) {
    answerBox.hidden = false;
    answerBox.querySelector(".title").replaceChildren("Response, as an example");
    result.replaceChildren(...highlighted(JSON.stringify(example(answer, MOST), null, 2), "JSON"));
  }
  const errors = Object.entries(operation.responses).filter(([status]) => status >= "400").map(([status, response]) =>
    h("tr", {}, h("td", {}, status), h("td", {}, ...prose(deref(response).description))));
  const [summary, more] = sentences(operation.summary);

  return h("div", { class: "page" },
    h("div", {},
      h("h2", {}, ...prose(titleOf(operation, summary))),
      more ? h("p", { class: "lead" }, ...prose(more)) : null,
      operation.description ? h("p", { class: "lead" }, ...prose(limits(operation.description))) : null,
      h("div", { class: "path" }, h("span", { class: `verb ${operation.verb}` }, operation.verb.toUpperCase()), h("code", {}, operation.path)),
      h("form", { onsubmit: submit, oninput: update },
        fields.length ? h("h3", {}, "Parameters") : null, ...plain,
        related.length ? h("details", {}, h("summary", {}, "Options of relations"), ...related) : null,
        body ? h("h3", {}, "Body") : null, body,
        sendRow),
      ...(schema ? [h("h3", {}, "Fields of the body"), table(record(schema))] : []),
      ...(answer ? [h("h3", {}, "Fields of the response"), table(record(answer))] : []),
      h("h3", {}, "Errors"), tableOf(["Status", "Meaning"], errors)),
    h("aside", {}, box, answerBox));
}
