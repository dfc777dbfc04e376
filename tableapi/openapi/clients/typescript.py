"""Generate a TypeScript client: the types of a description, and the runtime from `runtime.ts.txt`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tableapi.openapi.clients.described import CallFacts, Described, Names, TableFacts
from tableapi.openapi.components import Json

RUNTIME = Path(__file__).with_name("runtime.ts.txt")
_PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_DECLARED = re.compile(r"^(?:export )?(?:class|interface|type|const) (\w+)", re.MULTILINE)
_TAKEN = {"Tables", "Calls", "Array", "Date", "Error", "Object", "Promise", "Record", "Partial", "Pick", "Response"}
_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def write(described: Described, *, numbers: str | None) -> str:
    """Return the text of a module. `numbers`: the option used to read the description."""
    runtime = RUNTIME.read_text()
    return _TypeScript(described, runtime).text(numbers)


class _TypeScript:
    def __init__(self, described: Described, runtime: str) -> None:
        self._described, self._runtime = described, runtime
        taken = set(_DECLARED.findall(runtime))
        self._names = Names(taken | _TAKEN)
        for table in described.tables:
            self._names.type_of(table.component)

    def text(self, numbers: str | None) -> str:
        described = self._described
        parts = [
            "/* Made from the description of the API; make it again when the API has changed. */\n",
            self._runtime,
            *(self._table(table) for table in described.tables),
            *(self._declared(self._type_name(name), described.schemas[name]) for name in described.models()),
            *(self._call(call) for call in described.calls),
            self._tables(),
            self._calls(),
            f"const NUMBERS: string | undefined = {json.dumps(numbers) if numbers else 'undefined'};",
        ]
        return "\n".join(part for part in parts if part) + "\n"

    def _type_name(self, component: str) -> str:
        return self._names.type_of(component)

    # -- tables ------------------------------------------------------------------------------------------------------

    def _table(self, table: TableFacts) -> str:
        name = self._type_name(table.component)
        related = {
            field: f"{self._type_name(target)}{'[]' if many else ' | null'}"
            for field, (target, many) in table.relations.items()
        }
        columns = {field: f"Column<{self._type(schema)}>" for field, schema in table.columns.items()}
        columns |= {field: f"{self._type_name(target)}Columns" for field, (target, _) in table.relations.items()}
        create = update = "never"
        declared = [
            self._declared(name, {"properties": table.columns, "required": [*table.columns]}),
            self._interface(f"{name}Relations", related),
            self._interface(f"{name}Columns", columns),
        ]
        nested = dict.fromkeys(table.relations, "object | readonly object[] | null")
        if table.create is not None:
            create = f"{name}Create"
            declared.append(self._declared(create, table.create, nested))
        if table.update is not None:
            update = f"{name}Update"
            declared.append(self._declared(update, table.update, nested))
        key = "number" if table.key == "integer" else "KeyPart | readonly KeyPart[]"
        types = {"row": name, "relations": f"{name}Relations", "columns": f"{name}Columns", "key": key}
        declared.append(self._interface(f"{name}Types", types | {"create": create, "update": update}))
        return "\n".join(declared)

    def _tables(self) -> str:
        members = {table.label: f"Table<{self._type_name(table.component)}Types>" for table in self._described.tables}
        labels = {table.component: table.label for table in self._described.tables}
        facts = {
            table.label: {
                "path": table.path,
                "relations": {
                    field: labels[target] for field, (target, _) in table.relations.items() if target in labels
                },
            }
            for table in self._described.tables
        }
        declared = "const TABLES: Record<string, { path: string; relations: Record<string, string> }> = "
        return f"{self._interface('Tables', members)}\n{declared}{_literal(facts)};"

    # -- scripts -----------------------------------------------------------------------------------------------------

    def _call(self, call: CallFacts) -> str:
        name = self._type_name(f"call {call.name}")
        declared = []
        if call.input is not None and "$ref" not in call.input:
            declared.append(self._declared(f"{name}Input", call.input))
        if call.output is not None and call.output.get("type") == "object" and "properties" in call.output:
            declared.append(self._declared(f"{name}Output", call.output))
        return "\n".join(declared)

    def _calls(self) -> str:
        members = {}
        for call in self._described.calls:
            name = self._type_name(f"call {call.name}")
            sent = "Record<string, never>" if call.input is None else f"{name}Input"
            if call.input is not None and ("$ref" in call.input or call.input.get("type") != "object"):
                sent = self._type(call.input)
            received = "unknown" if call.output is None else self._type(call.output)
            if call.output is not None and call.output.get("type") == "object" and "properties" in call.output:
                received = f"{name}Output"
            members[call.name] = f"{{ input: {sent}; output: {received} }}"
        facts = {call.name: {"method": call.method, "path": call.path} for call in self._described.calls}
        declared = "const CALLS: Record<string, { method: string; path: string }> = "
        return f"{self._interface('Calls', members)}\n{declared}{_literal(facts)};"

    # -- schemas -----------------------------------------------------------------------------------------------------

    def _interface(self, name: str, members: dict[str, str]) -> str:
        lines = [f"  {_key(field)}: {kind};" for field, kind in members.items()]
        return "\n".join([f"export interface {name} {{", *lines, "}"])

    def _declared(self, name: str, schema: Json, more: dict[str, str] | None = None) -> str:
        """Declare the type of a schema; `more`: additional optional members."""
        if "properties" not in schema:
            return f"export type {name} = {self._type(schema)};"
        lines = [f"  {self._member(field, each, schema)};" for field, each in schema["properties"].items()]
        lines += [
            f"  {_key(field)}?: {kind};" for field, kind in (more or {}).items() if field not in schema["properties"]
        ]
        return "\n".join([f"export interface {name} {{", *lines, "}"])

    def _member(self, field: str, schema: Json, parent: Json) -> str:
        return f"{_key(field)}{'' if field in parent.get('required', ()) else '?'}: {self._type(schema)}"

    def _type(self, schema: Any) -> str:
        if not isinstance(schema, dict):
            return "unknown"
        if "$ref" in schema:
            return self._type_name(str(schema["$ref"]).rpartition("/")[2])
        if "const" in schema or "enum" in schema:
            return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
        for word, sign in (("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")):
            if word in schema:
                return sign.join(dict.fromkeys(self._type(each) for each in schema[word]))
        kind = schema.get("type")
        if isinstance(kind, list):
            return " | ".join(dict.fromkeys(self._type(schema | {"type": each}) for each in kind))
        if kind == "array":
            return f"({self._type(schema.get('items'))})[]"
        if kind == "object":
            if "properties" in schema:
                members = (self._member(field, each, schema) for field, each in schema["properties"].items())
                return f"{{ {'; '.join(members)} }}"
            more = schema.get("additionalProperties")
            return f"Record<string, {self._type(more) if isinstance(more, dict) else 'unknown'}>"
        return _SCALARS.get(str(kind), "unknown")


def _key(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else json.dumps(name)


def _literal(facts: dict[str, Any]) -> str:
    lines = [f"  {_key(name)}: {json.dumps(value)}," for name, value in facts.items()]
    return "\n".join(["{", *lines, "}"])
