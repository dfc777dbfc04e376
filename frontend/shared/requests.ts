/** The request for a list, for other programs. It contains no keys but names variables instead. Pure. */

export type Params = Readonly<Record<string, string | number | boolean | undefined>>;

interface Sent {
  /** The URL of the table or call. */
  address: string;
  /** Which headers the reader sends. */
  credentials: { key: boolean; session: boolean };
}

/** Rows of a table. */
export interface ShownTable extends Sent {
  dataset: string;
  table: string;
  params: Params;
  /** Whether the server has several databases, so that a tool call must name one. */
  isOneOfMany: boolean;
}

/** The rows that a call returns for a JSON body. */
export interface ShownCall extends Sent {
  call: string;
  body: Readonly<Record<string, unknown>>;
}

export type Shown = ShownTable | ShownCall;

const isCall = (shown: Shown): shown is ShownCall => "call" in shown;

interface Header {
  name: string;
  variable: string;
}

function headersOf({ key, session }: Shown["credentials"]): Header[] {
  return [...(key ? [{ name: "X-API-Key", variable: "API_KEY" }] : []), ...(session ? [{ name: "X-Session-Token", variable: "SESSION_TOKEN" }] : [])];
}

const paramsOf = (params: Params): [string, string][] =>
  Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]));
const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curl(shown: Shown): string {
  const headers = headersOf(shown.credentials).map(({ name, variable }) => `-H "${name}: $${variable}"`);
  if (isCall(shown)) {
    return [`curl -s ${shellQuoted(shown.address)}`, ...headers, '-H "Content-Type: application/json"', `-d ${shellQuoted(JSON.stringify(shown.body))}`].join(" \\\n  ");
  }
  const params = paramsOf(shown.params).map(([name, value]) => `--data-urlencode ${shellQuoted(`${name}=${value}`)}`);
  return [`curl -sG ${shellQuoted(shown.address)}`, ...headers, ...params].join(" \\\n  ");
}

const CONSTANTS = new Map<unknown, string>([
  [true, "True"],
  [false, "False"],
  [null, "None"],
]);

/** A JSON value as an expression of Python. Strings of JSON are strings of Python. */
function pythonOf(value: unknown): string {
  const constant = CONSTANTS.get(value);
  if (constant) return constant;
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`;
  if (typeof value === "object" && value) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}: ${pythonOf(inner)}`).join(", ")}}`;
  }
  return JSON.stringify(value);
}

function python(shown: Shown): string {
  const headers = headersOf(shown.credentials).map(({ name, variable }) => `${JSON.stringify(name)}: os.environ[${JSON.stringify(variable)}]`);
  const imports = ["import json", ...(headers.length > 0 ? ["import os"] : []), ...(isCall(shown) ? [] : ["import urllib.parse"]), "import urllib.request", ""];
  const rows = ["with urllib.request.urlopen(request) as response:", "    rows = json.load(response)[\"resource\"]", "print(rows)"];
  if (isCall(shown)) {
    return [
      ...imports,
      `body = ${pythonOf(shown.body)}`,
      `headers = {${[...headers, '"Content-Type": "application/json"'].join(", ")}}`,
      `request = urllib.request.Request(${JSON.stringify(shown.address)}, data=json.dumps(body).encode(), headers=headers)`,
      ...rows,
    ].join("\n");
  }
  const params = paramsOf(shown.params).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return [
    ...imports,
    params.length > 0 ? `params = {\n${params.join("\n")}\n}` : "params = {}",
    `url = ${JSON.stringify(`${shown.address}?`)} + urllib.parse.urlencode(params)`,
    `request = urllib.request.Request(url, headers={${headers.join(", ")}})`,
    ...rows,
  ].join("\n");
}

/** Also valid JavaScript. As a module: it awaits at its top level. */
function typescript(shown: Shown): string {
  const headers = headersOf(shown.credentials).map(({ name, variable }) => `${JSON.stringify(name)}: process.env.${variable} ?? ""`);
  const rows = ["if (!response.ok) throw new Error(await response.text());", "const { resource } = JSON.parse(await response.text());", "console.log(resource);"];
  if (isCall(shown)) {
    return [
      `const body = ${JSON.stringify(shown.body, null, 2)};`,
      `const response = await fetch(${JSON.stringify(shown.address)}, {`,
      '  method: "POST",',
      `  headers: { ${[...headers, '"Content-Type": "application/json"'].join(", ")} },`,
      "  body: JSON.stringify(body),",
      "});",
      ...rows,
    ].join("\n");
  }
  const params = paramsOf(shown.params).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return [
    `const params = new URLSearchParams({\n${params.join("\n")}\n});`,
    `const response = await fetch(\`${shown.address}?\${params}\`, { headers: { ${headers.join(", ")} } });`,
    ...rows,
  ].join("\n");
}

const split = (text: unknown): string[] => (typeof text === "string" && text ? text.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((part) => part.trim()) : []);

function queryOf({ dataset, table, params, isOneOfMany }: ShownTable): object {
  const { fields, filter, order, limit } = params;
  return {
    ...(isOneOfMany ? { database: dataset } : {}),
    table,
    ...(filter ? { filter } : {}),
    ...(fields ? { fields: split(fields) } : {}),
    ...(order ? { order: split(order) } : {}),
    ...(limit ? { limit: Number(limit) } : {}),
  };
}

/** A call of the tool `query` or `call_script`, as the server's MCP endpoint takes it. */
function mcp(shown: Shown): string {
  const params = isCall(shown) ? { name: "call_script", arguments: { name: shown.call, input: shown.body } } : { name: "query", arguments: queryOf(shown) };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, null, 2);
}

/** The programs that a request can be written for, with the function that writes it. */
export const WAYS: readonly [string, (shown: Shown) => string][] = [
  ["curl", curl],
  ["Python", python],
  ["TypeScript", typescript],
  ["MCP", mcp],
];
