// What the main column shows: how to authenticate, or one operation with a form that sends it.
import { codeBox, h, prose, sentences, tableOf } from "./elements.js";
import { build, credentials, filled, ownKeys, send, store } from "./request.js";
import { SAMPLES, generators } from "./samples.js";
import { reader } from "./schema.js";

const placeOf = (scheme) =>
  scheme.type === "http" ? "Authorization: Bearer …" : `${scheme.name}${scheme.in === "query" ? " in the query" : ": …"}`;

/** Return a box with a request in a language that the reader chooses, and a function that writes it anew. */
function requestBox(request) {
  const text = h("pre", { tabindex: "0" });
  const names = Object.keys(SAMPLES);
  const choice = h("select", { "aria-label": "Language" }, ...names.map((name) => h("option", {}, name)));
  choice.value = names.includes(store.getItem("language")) ? store.getItem("language") : names[0];
  const update = () => text.replaceChildren(SAMPLES[choice.value](request()));
  choice.addEventListener("change", () => {
    store.setItem("language", choice.value);
    update();
  });
  update();
  return { box: codeBox("Request", text, choice), update };
}

/** Return the page about credentials, with the first operation as an example. `address` is that of the document. */
export function authentication(spec, first, link, address) {
  const schemes = Object.values(spec.components.securitySchemes ?? {}).map((scheme) =>
    h("div", { class: "scheme" }, h("code", {}, placeOf(scheme)), h("span", { class: "quiet" }, scheme.description ?? "")));
  const open = h("button", { type: "button" }, "Enter credentials");
  open.addEventListener("click", () => {
    document.getElementById("credentials").open = true;
    document.getElementById("key").focus();
  });
  const { deref } = reader(spec);
  const inputs = first && [...ownKeys(spec, first), ...first.shared, ...(first.parameters ?? [])].map((parameter) =>
    ({ parameter: deref(parameter), input: { value: "" } }));
  const example = first && requestBox(() => build(first, filled(inputs), null)).box;
  const commands = h("pre", { tabindex: "0" }, generators(location.origin + address, credentials(), spec.security ?? []));
  return h("div", { class: "page" },
    h("div", {},
      h("h2", {}, "Authentication"),
      h("p", { class: "lead" }, ...prose("Send credentials with every request, as headers. A request without valid ones gets 401; "
        + "`message` and `context.reason` of the error say what is missing.")),
      h("h3", {}, "Credentials"), ...schemes,
      h("div", { class: "send" }, open),
      first ? h("h3", {}, "First request") : null,
      first ? h("p", { class: "quiet" }, h("a", { href: link(first.operationId) }, sentences(first.summary)[0])) : null),
    h("aside", {}, example, codeBox("A typed client", commands)));
}

/** Return an empty form control for a parameter: a list of its values, or a text field. */
function control(parameter, id, { deref, typeOf }) {
  const values = deref(parameter.schema)?.enum;
  if (!values) return h("input", { id, placeholder: typeOf(parameter.schema) });
  return h("select", { id }, h("option", { value: "" }, ""), ...values.map((value) => h("option", {}, String(value))));
}

/** Return the page of an operation. */
export function operationPage(spec, operation) {
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
  const submit = async (event) => {
    event.preventDefault();
    state.replaceChildren("…");
    const { ok, status, text, time } = await send(build(operation, inputs, body));
    state.replaceChildren(h("span", { class: `status ${ok ? "good" : "bad"}` }, String(status)), ` in ${time} ms`);
    answerBox.hidden = false;
    answerBox.querySelector(".title").replaceChildren("Response");
    result.replaceChildren(text);
  };

  const fields = inputs.map(({ parameter, input }) =>
    h("div", { class: "field" }, h("label", { for: input.id }, parameter.name, parameter.required ? h("span", {}, " *") : null), input,
      h("small", {}, parameter.in === "header" ? "Header. " : "", ...prose(parameter.description ?? deref(parameter.schema)?.description ?? ""))));
  const plain = fields.filter((_, number) => !parameters[number].name.includes("."));
  const related = fields.filter((_, number) => parameters[number].name.includes("."));
  const answer = operation.responses["200"]?.content?.["application/json"]?.schema;
  if (answer) {
    answerBox.hidden = false;
    answerBox.querySelector(".title").replaceChildren("Response, as an example");
    result.replaceChildren(JSON.stringify(example(answer), null, 2));
  }
  const errors = Object.entries(operation.responses).filter(([status]) => status >= "400").map(([status, response]) =>
    h("tr", {}, h("td", {}, status), h("td", {}, deref(response).description)));
  const [summary, more] = sentences(operation.summary);

  return h("div", { class: "page" },
    h("div", {},
      h("h2", {}, ...prose(summary)),
      more ? h("p", { class: "lead" }, ...prose(more)) : null,
      operation.description ? h("p", { class: "lead" }, operation.description) : null,
      h("div", { class: "path" }, h("span", { class: `verb ${operation.verb}` }, operation.verb.toUpperCase()), h("code", {}, operation.path)),
      h("form", { onsubmit: submit, oninput: update },
        fields.length ? h("h3", {}, "Parameters") : null, ...plain,
        related.length ? h("details", {}, h("summary", {}, "Options of relations"), ...related) : null,
        body ? h("h3", {}, "Body") : null, body,
        h("div", { class: "send" }, h("button", {}, "Send"), state)),
      ...(schema ? [h("h3", {}, "Fields of the body"), table(record(schema))] : []),
      ...(answer ? [h("h3", {}, "Fields of the answer"), table(record(answer))] : []),
      h("h3", {}, "Errors"), tableOf(["Status", "Meaning"], errors)),
    h("aside", {}, box, answerBox));
}
