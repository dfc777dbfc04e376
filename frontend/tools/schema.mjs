/** Writes src/api/schema.gen.ts from the description of the API given by tools/schema */
import { writeFileSync } from "node:fs";
import { json } from "node:stream/consumers";
import openapiTS, { astToString } from "openapi-typescript";

const FILE = new URL("../src/api/schema.gen.ts", import.meta.url);
const PREFIX = "/api/v2/";
// The input of a script without any.
const NOTHING = { type: "object", additionalProperties: false };
const TABLE = /\/_table\/(\w+)$/;

/** The record of each table, with every column, and the input and output of each script; nothing of the transport. */
function reduced({ openapi, info, paths, components }) {
  const tables = Object.keys(paths).flatMap((path) => TABLE.exec(path)?.[1] ?? []);
  const schemas = Object.fromEntries(tables.map((table) => [table, whole(components.schemas[table])]));
  for (const [path, { post }] of Object.entries(paths)) {
    const name = path.slice(PREFIX.length);
    if (path.includes("/_table/") || !post) continue;
    const input = post.requestBody ? post.requestBody.content["application/json"]?.schema : NOTHING;
    const output = post.responses["200"]?.content?.["application/json"]?.schema;
    if (input && output) Object.assign(schemas, { [`${name} input`]: without("default", input), [`${name} output`]: output });
  }
  const all = { ...schemas, ...referred(schemas, components.schemas) };
  return { openapi, info, paths: {}, components: { schemas: without("title", all) } };
}

/** A copy without an annotation: a default would make a field of an input required, titles repeat the names. */
function without(annotation, schema) {
  const isAnnotation = (key, value) => key === annotation && (value === null || typeof value !== "object" || Array.isArray(value));
  return JSON.parse(JSON.stringify(schema, (key, value) => (isAnnotation(key, value) ? undefined : value)));
}

/** A list without the option `fields` contains every column; related records are included on request. */
function whole(record) {
  const columns = Object.keys(record.properties).filter((name) => !name.includes("_by_"));
  return { ...record, required: columns };
}

/** Every other schema that these refer to, directly or indirectly. */
function referred(schemas, all) {
  const names = new Set(Object.keys(schemas));
  const added = {};
  const follow = (schema) => {
    for (const [, name] of JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (names.has(name)) continue;
      names.add(name);
      added[name] = all[name];
      follow(all[name]);
    }
  };
  follow(schemas);
  return added;
}

const described = await json(process.stdin); // reading it at once fails while the other side is still writing
writeFileSync(FILE, astToString(await openapiTS(reduced(described), { alphabetize: true })));
