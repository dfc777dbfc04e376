// JSON Schema of the OpenAPI document: names of types, example bodies and tables of fields.
import { h, prose, tableOf } from "./elements.js";
import { exampleOf } from "./guide.js";

/** Return a reader of the schemas of one document. */
export function reader(spec) {
  const deref = (node) =>
    node && node.$ref ? deref(node.$ref.split("/").slice(1).reduce((inner, part) => inner[part], spec)) : node;

  function typeOf(node) {
    const schema = deref(node) ?? {};
    if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    return [schema.type ?? "any"].flat().join(" or ") + (schema.format ? ` (${schema.format})` : "");
  }

  /** Return an example body: the required fields, or the first three; `most` fields of a response. */
  function example(node, most = 0, depth = 0, name = "") {
    const schema = deref(node) ?? {};
    if (schema.example !== undefined) return schema.example;
    if (schema.examples?.length) return schema.examples[0];
    if (schema.anyOf) return example(schema.anyOf[0], most, depth, name);
    if (schema.enum) return schema.enum[0];
    if (schema.const !== undefined) return schema.const;
    const type = [schema.type].flat()[0];
    const own = type === "array" && exampleOf(name, schema);
    if (Array.isArray(own)) return own;
    if (type === "array") return depth > 4 ? [] : [example(schema.items, most, depth + 1, name)];
    if (type === "object") {
      if (depth > 4) return {};
      const names = Object.keys(schema.properties ?? {});
      const writable = names.filter((each) => !deref(schema.properties[each]).readOnly);
      const required = writable.filter((each) => schema.required?.includes(each));
      // A response has no related records unless they are asked for.
      const ofResponse = names.filter((each) => !each.includes("_by_")).slice(0, most);
      const chosen = most ? ofResponse : required.length ? required : writable.slice(0, 3);
      return Object.fromEntries(chosen.map((each) => [each, example(schema.properties[each], most, depth + 1, each)]));
    }
    return exampleOf(name, schema) ?? { integer: 1, number: 1, boolean: true, string: "text", null: null }[type] ?? "";
  }

  function table(node) {
    const schema = deref(node) ?? {};
    const rows = Object.entries(schema.properties ?? {}).map(([name, field]) =>
      h("tr", {}, h("td", {}, name, schema.required?.includes(name) ? " *" : ""), h("td", {}, typeOf(field)),
        h("td", {}, ...prose(deref(field).description ?? ""))));
    return rows.length ? tableOf(["Field", "Type", "Description"], rows) : h("p", { class: "quiet" }, typeOf(node));
  }

  /** Return the schema of the record inside a list or body. */
  function record(node) {
    const schema = deref(node) ?? {};
    if (schema.anyOf) return record(schema.anyOf[0]);
    if (schema.properties?.resource) return record(schema.properties.resource);
    if (schema.items) return record(schema.items);
    return schema;
  }

  return { deref, typeOf, example, table, record };
}
