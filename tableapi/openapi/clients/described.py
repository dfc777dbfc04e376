"""Read the tables and calls, and the schemas of their records, from a description with `typed=true`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from tableapi.openapi.components import Json

_TABLE = re.compile(r"/api/v2/(?P<dataset>[^/]+)/_table/(?P<name>[^/{}]+)")
_SERVICES = ("_table", "_batch", "_proc", "_func")  # paths of a dataset that are not scripts
_WORDS = re.compile(r"[^0-9A-Za-z]+")


@dataclass(frozen=True)
class TableFacts:
    """One table. `create` and `update` are None if the caller lacks the right to them."""

    label: str
    path: str
    component: str
    columns: dict[str, Json]
    relations: dict[str, tuple[str, bool]]  # name -> (component of the target, whether it is to-many)
    create: Json | None
    update: Json | None
    key: str  # "integer" or "string"


@dataclass(frozen=True)
class CallFacts:
    """One script. Schemas are None if it has no model."""

    name: str
    method: str
    path: str
    summary: str
    input: Json | None
    output: Json | None


class Described:
    """The tables and calls of a document, and its component schemas."""

    def __init__(self, document: Json) -> None:
        self.schemas: dict[str, Json] = document["components"]["schemas"]
        self._paths: dict[str, Json] = document["paths"]
        matches = [match for path in self._paths if (match := _TABLE.fullmatch(path))]
        self._many = len({match["dataset"] for match in matches}) > 1
        self.tables = [self._table(match) for match in matches]
        self.calls = self._calls()

    def _table(self, match: re.Match[str]) -> TableFacts:
        path, name = match[0], unquote(match["name"])
        operations = self._paths[path]
        one = self._paths.get(f"{path}/{{id}}", {"parameters": [{"schema": {"type": "string"}}]})
        any_of = next(iter(operations.values()))
        component = _name(any_of["responses"]["200"]["content"]["application/json"]["schema"]).removesuffix("_list")
        properties = self.schemas[component]["properties"]
        relations = {field: found for field, schema in properties.items() if (found := _relation(schema))}
        return TableFacts(
            label=f"{match['dataset']}.{name}" if self._many else name,
            path=path,
            component=component,
            columns={field: schema for field, schema in properties.items() if field not in relations},
            relations=relations,
            create=self.schemas.get(f"{component}_create") if "post" in operations else None,
            update=self.schemas.get(f"{component}_update") if "patch" in operations else None,
            key=one["parameters"][0]["schema"]["type"],
        )

    def _calls(self) -> list[CallFacts]:
        calls = []
        for path, item in self._paths.items():
            name = path.removeprefix("/api/v2/")
            if any(part in _SERVICES for part in name.split("/")):
                continue
            methods = {verb: operation for verb, operation in item.items() if verb != "parameters"}
            for verb, operation in methods.items():
                content = operation["responses"]["200"].get("content", {}).get("application/json", {})
                label = name if len(methods) == 1 else f"{verb.upper()} {name}"
                calls.append(
                    CallFacts(label, verb.upper(), path, operation["summary"], _input(operation), content.get("schema"))
                )
        return calls

    def models(self) -> list[str]:
        """Return the components that calls refer to, directly or indirectly, except those of tables."""
        known = {table.component for table in self.tables}
        found: list[str] = []
        waiting: list[Any] = [[call.input, call.output] for call in self.calls]
        waiting += [[*table.columns.values()] for table in self.tables]
        while waiting:
            for name in _references(waiting.pop(0)):
                if name not in known and name in self.schemas:
                    known.add(name)
                    found.append(name)
                    waiting.append(self.schemas[name])
        return found


def _name(schema: Json) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _relation(schema: Json) -> tuple[str, bool] | None:
    """Return the target of a relation field, and whether the relation is to-many."""
    if not str(schema.get("description", "")).startswith("With related="):
        items = schema.get("items", {})
        return (_name(items), True) if schema.get("type") == "array" and "$ref" in items else None
    if "items" in schema:
        return _name(schema["items"]), True
    return _name(schema["anyOf"][0]), False


def _input(operation: Json) -> Json | None:
    """Return the schema of the body, or an object schema for the parameters."""
    content = operation.get("requestBody", {}).get("content", {})
    schema: Json | None = content.get("application/json", {}).get("schema")
    parameters = [each for each in operation.get("parameters", ()) if each.get("in") in ("query", "path")]
    if not parameters:
        return schema
    named = {each["name"]: each["schema"] for each in parameters}
    required = [each["name"] for each in parameters if each.get("required")]
    body = schema or {}
    return {
        "type": "object",
        "properties": named | body.get("properties", {}),
        "required": [*required, *body.get("required", ())],
    }


def _references(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [_name(node)] if isinstance(node.get("$ref"), str) else []
        return own + [name for value in node.values() for name in _references(value)]
    return [name for value in node for name in _references(value)] if isinstance(node, list) else []


class Names:
    """Unique type names."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = set(taken)
        self._given: dict[str, str] = {}

    def type_of(self, thing: str) -> str:
        """Return a type name: `order_line` -> `OrderLine`, with a number if that is taken."""
        if thing not in self._given:
            word = "".join(part[:1].upper() + part[1:] for part in _WORDS.split(thing)) or "Unnamed"
            self._given[thing] = self._free(word if word[0].isalpha() else f"T{word}")
        return self._given[thing]

    def _free(self, word: str) -> str:
        free, number = word, 2
        while any(f"{free}{suffix}" in self._taken for suffix in ("", *SUFFIXES)):
            free, number = f"{word}{number}", number + 1
        self._taken |= {f"{free}{suffix}" for suffix in ("", *SUFFIXES)}
        return free


SUFFIXES = ("Columns", "Relations", "Create", "Update", "Types", "Input", "Output")
