// A request as text: a curl command, Python or JavaScript; the documentation has a copy of this file. The session token
// is left out, because it is a secret.

const TOKEN = "X-Session-Token";
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Return the value of a body, or undefined where it is no JSON (yet). */
function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function curl({ method, url, headers, body }) {
  const [address, query] = url.split("?");
  const short = query === undefined || method !== "GET";
  const lines = [`curl ${short ? "" : "--get "}${method === "GET" ? "" : `-X ${method} `}${quoted(short ? url : address)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(name === TOKEN ? `-H "${name}: $TOKEN"` : `-H ${quoted(`${name}: ${value}`)}`);
  if (!short) for (const [name, value] of new URLSearchParams(query)) lines.push(`--data-urlencode ${quoted(`${name}=${value}`)}`);
  if (body) lines.push(`-d ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

/** Return a JSON value as a Python literal, in one line if it is short. */
function literal(value, indent = "", isLine = false) {
  if (value === null) return "None";
  if (value === true || value === false) return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const items = (deeper, line) => Object.entries(value).map(([name, item]) => `${Array.isArray(value) ? "" : `${JSON.stringify(name)}: `}${literal(item, deeper, line)}`);
  const flat = `${open}${items("", true).join(", ")}${close}`;
  const deeper = `${indent}    `;
  return isLine || flat.length < 72 ? flat : `${open}\n${items(deeper).map((item) => `${deeper}${item},\n`).join("")}${indent}${close}`;
}

const valuesOf = (headers) => Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${name === TOKEN ? "token" : JSON.stringify(value)}`);

function python({ method, url, headers, body }) {
  const json = body ? parsed(body) : undefined;
  const { "Content-Type": type, ...others } = headers;
  const values = valuesOf(json === undefined && type ? headers : others);
  const [address, query] = method === "GET" ? url.split("?") : [url];
  const options = [JSON.stringify(address)];
  if (query) options.push(`params=${literal(Object.fromEntries(new URLSearchParams(query)), "    ")}`);
  if (values.length) options.push(`headers={${values.join(", ")}}`);
  if (json !== undefined) options.push(`json=${literal(json, "    ")}`);
  else if (body) options.push(`data=${JSON.stringify(body)}`);
  return `response = requests.${method.toLowerCase()}(\n${options.map((option) => `    ${option},\n`).join("")})\nresponse.raise_for_status()\nprint(response.json())`;
}

function javascript({ method, url, headers, body }, number, all) {
  const options = [];
  if (method !== "GET") options.push(`method: "${method}"`);
  const values = valuesOf(headers);
  if (values.length) options.push(`headers: { ${values.join(", ")} }`);
  const json = body ? parsed(body) : undefined;
  if (body) options.push(`body: ${json === undefined ? JSON.stringify(body) : `JSON.stringify(${JSON.stringify(json, null, 2).replaceAll("\n", "\n  ")})`}`);
  const second = options.length ? `, {\n${options.map((option) => `  ${option},\n`).join("")}}` : "";
  const name = all.length === 1 ? "const response" : number ? "response" : "let response";
  return `${name} = await fetch(${JSON.stringify(url)}${second});\nif (!response.ok) throw new Error((await response.json()).error.message);\nconsole.log(await response.json());`;
}

/** Return requests, one after the other, as a program in each language other than curl. */
export const programs = (requests) => ({
  Python: `import requests\n\n${requests.map(python).join("\n\n")}`,
  JavaScript: requests.map(javascript).join("\n\n"),
});

/** Return a request in each language. */
export const samples = (request) => ({ curl: curl(request), ...programs([request]) });
export const LANGUAGES = ["curl", "Python", "JavaScript"];

/**
 * Return the commands that fetch typed clients, and the document at an address. `security` is the document's: if tables
 * need a session, the commands have its header before a token is entered.
 */
export function generators(address, headers, security = []) {
  const needed = security.some((choice) => "session" in choice) ? { [TOKEN]: "" } : {};
  const names = Object.entries({ ...needed, ...headers }).map(([name, value]) => (name === TOKEN ? `"${name}: $TOKEN"` : quoted(`${name}: ${value}`)));
  const credentials = names.map((header) => `-H ${header} `).join("");
  const fetched = (file, query) => `curl -o ${file} ${credentials}${quoted(`${address}?${query}`)}`;
  return `${fetched("client.ts", "client=typescript")}\n${fetched("client.py", "client=python")}\n# The document, for any generator:\n${fetched("openapi.json", "typed=true")}`;
}
