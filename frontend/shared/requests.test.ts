import { expect, test } from "vitest";
import { type Shown, type ShownCall, type ShownTable, WAYS } from "./requests";

const TABLE: ShownTable = {
  address: "http://host/api/v2/leads/_table/auditlog",
  dataset: "leads",
  table: "auditlog",
  params: { filter: "(event='it''s')", order: "createdon DESC", limit: 25, offset: undefined },
  credentials: { key: true, session: true },
  isOneOfMany: false,
};
const CALL: ShownCall = {
  address: "http://host/api/v2/searchpeople",
  call: "searchpeople",
  body: { name: "O'Neil \"é\"", not: { country: ["DEU"] }, city: undefined, limit: 25, exact: true, after: null },
  credentials: { key: true, session: true },
};

const written = (way: string, shown: Shown): string => WAYS.find(([name]) => name === way)![1](shown);
const paramsOf = (shown: Shown): unknown => (JSON.parse(written("MCP", shown)) as { params: unknown }).params;

test("curl sends the parameters of a table in the query", () => {
  expect(written("curl", TABLE).split(" \\\n  ")).toEqual([
    "curl -sG 'http://host/api/v2/leads/_table/auditlog'",
    '-H "X-API-Key: $API_KEY"',
    '-H "X-Session-Token: $SESSION_TOKEN"',
    String.raw`--data-urlencode 'filter=(event='\''it'\'''\''s'\'')'`,
    "--data-urlencode 'order=createdon DESC'",
    "--data-urlencode 'limit=25'",
  ]);
});

test("curl sends a body as JSON, with its quotes escaped", () => {
  expect(written("curl", CALL).split(" \\\n  ").slice(-2)).toEqual([
    '-H "Content-Type: application/json"',
    String.raw`-d '{"name":"O'\''Neil \"é\"","not":{"country":["DEU"]},"limit":25,"exact":true,"after":null}'`,
  ]);
});

test("Python has the body as a literal of its own", () => {
  const program = written("Python", CALL);
  expect(program).toContain(String.raw`body = {"name": "O'Neil \"é\"", "not": {"country": ["DEU"]}, "limit": 25, "exact": True, "after": None}`);
  expect(program).toContain('headers = {"X-API-Key": os.environ["API_KEY"], "X-Session-Token": os.environ["SESSION_TOKEN"], "Content-Type": "application/json"}');
  expect(program).not.toContain("urllib.parse");
  expect(written("Python", TABLE)).toContain('    "limit": "25",\n}');
});

test("TypeScript posts the body, and gives each header a text", () => {
  const program = written("TypeScript", CALL);
  expect(program).toContain(`const body = ${JSON.stringify(CALL.body, null, 2)};`);
  expect(program).toContain('headers: { "X-API-Key": process.env.API_KEY ?? "", "X-Session-Token": process.env.SESSION_TOKEN ?? "", "Content-Type": "application/json" }');
  expect(program).toContain("body: JSON.stringify(body)");
  expect(written("TypeScript", TABLE)).toContain("await fetch(`http://host/api/v2/leads/_table/auditlog?${params}`, { headers:");
});

test("MCP queries a table, and calls a script for anything else", () => {
  expect(paramsOf(TABLE)).toEqual({ name: "query", arguments: { table: "auditlog", filter: "(event='it''s')", order: ["createdon DESC"], limit: 25 } });
  expect(paramsOf(CALL)).toEqual({ name: "call_script", arguments: { name: "searchpeople", input: JSON.parse(JSON.stringify(CALL.body)) as unknown } });
});
