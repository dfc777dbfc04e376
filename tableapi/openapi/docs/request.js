// A request of the page: its credentials, what is sent, and its response.

// Use getItem and setItem only: `sessionStorage.key` is a method.
export const store = sessionStorage;

/** The path that the API is mounted under, "" for none: this file is <mount>/api/docs/request.js. */
export const MOUNT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** Return the headers of the credentials that were entered. */
export function credentials() {
  const headers = {};
  const [key, token] = [store.getItem("key"), store.getItem("token")];
  if (key) headers["X-API-Key"] = key;
  if (token) headers["X-Session-Token"] = token;
  return headers;
}

/** The security schemes of the form "Credentials"; a script can name another one, with a key of its own. */
const COMMON = ["key", "session", "bearer"];
const isCommon = (requirement) => Object.keys(requirement).every((name) => COMMON.includes(name));

/** Return a header parameter for each key that an operation takes in place of the common credentials. */
export function ownKeys(spec, operation) {
  const requirements = operation.security ?? [];
  const names = requirements.filter((requirement) => !isCommon(requirement)).flatMap(Object.keys);
  const required = !requirements.some(isCommon);
  return names.map((name) => {
    const { name: header, description } = spec.components.securitySchemes[name];
    return { name: header, in: "header", description, required, example: "YOUR_API_KEY", schema: { type: "string" } };
  });
}

/** Return the example of a parameter; the page sets how names are known (guide.js imports this file). */
let exampleFor = (parameter) => parameter.example ?? parameter.schema?.enum?.[0] ?? parameter.name.toUpperCase();
export const setExamples = (find) => {
  const before = exampleFor;
  exampleFor = (parameter) => find(parameter) ?? before(parameter);
};

/** Return inputs with an example value for each required one that is empty. */
export const filled = (inputs) =>
  inputs.map(({ parameter, input }) => {
    const needed = input.value === "" && parameter.required;
    return { parameter, input: needed ? { value: String(exampleFor(parameter)) } : input };
  });

/** Return method, URL, headers and body of an operation with the values of its inputs. */
export function build(operation, inputs, body) {
  const query = new URLSearchParams();
  // A public operation, or one with a key of its own, gets no common credentials.
  const headers = !operation.security || operation.security.some(isCommon) ? credentials() : {};
  let { path } = operation;
  for (const { parameter, input } of inputs) {
    if (input.value === "") continue;
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    else if (parameter.in === "header") headers[parameter.name] = input.value;
    else query.set(parameter.name, input.value);
  }
  if (body) headers["Content-Type"] = "application/json";
  return { method: operation.verb.toUpperCase(), url: location.origin + MOUNT + path + (query.size ? `?${query}` : ""), headers, body: body?.value };
}

/** Send a request and return status, text and milliseconds. */
export async function send({ method, url, headers, body }) {
  const began = performance.now();
  const time = () => Math.round(performance.now() - began);
  try {
    const response = await fetch(url, { method, headers, body });
    const text = await response.text();
    const json = response.headers.get("content-type")?.includes("json");
    return { ok: response.ok, status: response.status, text: json && text ? JSON.stringify(JSON.parse(text), null, 2) : text, time: time() };
  } catch (error) {
    return { ok: false, status: "No response", text: String(error), time: time() };
  }
}
