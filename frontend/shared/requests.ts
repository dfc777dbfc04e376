/** The request for a list, for other programs. It contains no keys but names variables instead. Pure. */

export type Params = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Shown {
  /** The URL of the table. */
  address: string;
  dataset: string;
  table: string;
  params: Params;
  /** Which headers the reader sends. */
  credentials: { key: boolean; session: boolean };
  /** Whether the server has several databases, so that a tool call must name one. */
  isOneOfMany: boolean;
}

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
  const params = paramsOf(shown.params).map(([name, value]) => `--data-urlencode ${shellQuoted(`${name}=${value}`)}`);
  return [`curl -sG ${shellQuoted(shown.address)}`, ...headers, ...params].join(" \\\n  ");
}

function python(shown: Shown): string {
  const headers = headersOf(shown.credentials).map(({ name, variable }) => `${JSON.stringify(name)}: os.environ[${JSON.stringify(variable)}]`);
  const params = paramsOf(shown.params).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return [
    "import json",
    ...(headers.length > 0 ? ["import os"] : []),
    "import urllib.parse",
    "import urllib.request",
    "",
    params.length > 0 ? `params = {\n${params.join("\n")}\n}` : "params = {}",
    `url = ${JSON.stringify(`${shown.address}?`)} + urllib.parse.urlencode(params)`,
    `request = urllib.request.Request(url, headers={${headers.join(", ")}})`,
    "with urllib.request.urlopen(request) as response:",
    "    rows = json.load(response)[\"resource\"]",
    "print(rows)",
  ].join("\n");
}

function javascript(shown: Shown): string {
  const headers = headersOf(shown.credentials).map(({ name, variable }) => `${JSON.stringify(name)}: process.env.${variable}`);
  const params = paramsOf(shown.params).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return [
    `const params = new URLSearchParams({\n${params.join("\n")}\n});`,
    `const response = await fetch(\`${shown.address}?\${params}\`, { headers: { ${headers.join(", ")} } });`,
    "const { resource } = await response.json();",
    "console.log(resource);",
  ].join("\n");
}

const split = (text: unknown): string[] => (typeof text === "string" && text ? text.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((part) => part.trim()) : []);

/** A call of the tool `query`, as the server's MCP endpoint takes it. */
function mcp({ dataset, table, params, isOneOfMany }: Shown): string {
  const { fields, filter, order, limit } = params;
  const sent = {
    ...(isOneOfMany ? { database: dataset } : {}),
    table,
    ...(filter ? { filter } : {}),
    ...(fields ? { fields: split(fields) } : {}),
    ...(order ? { order: split(order) } : {}),
    ...(limit ? { limit: Number(limit) } : {}),
  };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "query", arguments: sent } }, null, 2);
}

/** The programs that a request can be written for, with the function that writes it. */
export const WAYS: readonly [string, (shown: Shown) => string][] = [
  ["curl", curl],
  ["Python", python],
  ["JavaScript", javascript],
  ["MCP", mcp],
];
