// A request as text: a curl command, Python or JavaScript. The session token is left out, because it is a secret.

const TOKEN = "X-Session-Token";
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const indented = (text) => text.replaceAll("\n", "\n    ");

/** Return the value of a body, or undefined where it is no JSON (yet). */
function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function curl({ method, path, headers, body }) {
  const [address, query] = path.split("?");
  const short = query === undefined || method !== "GET";
  const lines = [`curl ${short ? "" : "--get "}${method === "GET" ? "" : `-X ${method} `}${quoted(location.origin + (short ? path : address))}`];
  for (const [name, value] of Object.entries(headers)) lines.push(name === TOKEN ? `-H "${name}: $TOKEN"` : `-H ${quoted(`${name}: ${value}`)}`);
  if (!short) for (const [name, value] of new URLSearchParams(query)) lines.push(`--data-urlencode ${quoted(`${name}=${value}`)}`);
  if (body) lines.push(`-d ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

/** Return a JSON value as a Python literal. */
function literal(value, indent = "") {
  const deeper = `${indent}    `;
  if (value === null) return "None";
  if (value === true || value === false) return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, deeper))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${literal(item, deeper)}`);
  return items.length ? `${open}\n${items.map((item) => `${deeper}${item},`).join("\n")}\n${indent}${close}` : open + close;
}

function python({ method, path, headers, body }) {
  const json = body ? parsed(body) : undefined;
  const names = Object.entries(headers).filter(([name]) => name !== "Content-Type" || json === undefined);
  const values = names.map(([name, value]) => `${JSON.stringify(name)}: ${name === TOKEN ? "token" : JSON.stringify(value)}`);
  const [address, query] = path.split("?");
  const options = [JSON.stringify(location.origin + address)];
  if (query) options.push(`params=${indented(literal(Object.fromEntries(new URLSearchParams(query))))}`);
  if (values.length) options.push(`headers={${values.join(", ")}}`);
  if (json !== undefined) options.push(`json=${indented(literal(json))}`);
  else if (body) options.push(`data=${JSON.stringify(body)}`);
  return `import requests\n\nresponse = requests.${method.toLowerCase()}(\n${options.map((option) => `    ${option},\n`).join("")})\nresponse.raise_for_status()\nprint(response.json())`;
}

function javascript({ method, path, headers, body }) {
  const options = [];
  if (method !== "GET") options.push(`method: "${method}"`);
  const values = Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${name === TOKEN ? "token" : JSON.stringify(value)}`);
  if (values.length) options.push(`headers: { ${values.join(", ")} }`);
  const json = body ? parsed(body) : undefined;
  if (body) options.push(`body: ${json === undefined ? JSON.stringify(body) : `JSON.stringify(${JSON.stringify(json, null, 2).replaceAll("\n", "\n  ")})`}`);
  const second = options.length ? `, {\n${options.map((option) => `  ${option},\n`).join("")}}` : "";
  return `const response = await fetch("${location.origin + path}"${second});\nif (!response.ok) throw new Error((await response.json()).error.message);\nconsole.log(await response.json());`;
}

export const SAMPLES = { curl, Python: python, JavaScript: javascript };

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
