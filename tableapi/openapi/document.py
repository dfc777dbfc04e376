"""The API as its caller may see it, in OpenAPI 3.1: made of the schema, the rights of the caller and the scripts.

Who gets which document, and where documents are kept: described.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from starlette.responses import Response

from tableapi.auth.policy import ANYONE
from tableapi.datasets.dataset import Dataset
from tableapi.endpoints.guard import Endpoint
from tableapi.http import response
from tableapi.openapi.components import SECURITY, Json, components, json, refusals
from tableapi.openapi.routines import describe as describe_routine
from tableapi.openapi.tables import TableDescription, describe, plain
from tableapi.schema.model import Table
from tableapi.tables import routines
from tableapi.version import VERSION

MOST_OPTIONS = 200  # tables of a document; in a larger one the options of single relations are left out
_NO_WORD = re.compile(r"[^\w]+")
_BETWEEN = re.compile(r"[/{}]+")
DIALECT = "https://spec.openapis.org/oas/3.1/dialect/base"


class Document:
    """One document, made a piece at a time: that of thousands of tables is never whole in memory."""

    def __init__(self, title: str, security: list[Json], role: str) -> None:
        self._title, self._security, self._role = title, security, role
        self._names: dict[tuple[str, str], str] = {}
        self._taken: set[str] = {"Error", "Meta"}
        self._words: set[str] = set()
        self._tags: list[Json] = []
        self._paths: Json = {}  # of scripts
        self._models: Json = {}

    def pieces(self, datasets: Sequence[Dataset], endpoints: Iterable[Endpoint]) -> Iterator[bytes]:
        """The JSON text of the document."""
        head = {
            "openapi": "3.1.0",
            "info": {"title": self._title, "version": VERSION},
            "jsonSchemaDialect": DIALECT,
            "servers": [{"url": "/"}],
            "security": self._security,
        }
        yield response.dumps(head)[:-1] + b',"paths":{'
        yield from _members(self._table_paths(datasets))
        for endpoint in endpoints:
            self._add_script(endpoint)
        yield b"," if self._paths and self._tags else b""
        yield from _members(self._paths.items())
        rest = components() | {"securitySchemes": SECURITY if self._security else {}}
        fixed = rest.pop("schemas")
        yield (
            b'},"tags":' + response.dumps(self._tags) + b',"components":' + response.dumps(rest)[:-1] + b',"schemas":{'
        )
        yield from _members(chain(fixed.items(), self._table_schemas(datasets), self._models.items()))
        yield b"}}}"

    # -- tables ------------------------------------------------------------------------------------------------------

    def _described(self, datasets: Sequence[Dataset], *, worded: bool) -> Iterator[tuple[str, TableDescription]]:
        """(tag, description) of every table that the caller may use."""
        many = len(datasets) > 1
        for dataset in datasets:
            rights, tables = dataset.rights(self._role), list(dataset.schema.tables.values())
            component = partial(self._component, dataset.name if many else "")
            for table in tables:
                tag = f"{dataset.name}.{table.name}" if many else table.name
                word = self._word(f"{dataset.name} {table.name}" if many else table.name) if worded else ""
                options = len(tables) <= MOST_OPTIONS
                made = describe(table, rights, f"/api/v2/{dataset.name}", component, word, tag=tag, options=options)
                if made is not None:
                    yield tag, made

    def _component(self, prefix: str, table: Table) -> str:
        mark = (prefix, table.name)
        if mark not in self._names:
            self._names[mark] = self._free(plain(f"{prefix}.{table.name}" if prefix else table.name))
        return self._names[mark]

    def _table_paths(self, datasets: Sequence[Dataset]) -> Iterator[tuple[str, Any]]:
        for tag, made in self._described(datasets, worded=True):
            comment = made.table.comment
            self._tags.append({"name": tag} | ({"description": comment} if comment else {}))
            yield from made.paths().items()
        for dataset in datasets:
            for routine in routines.public(dataset, self._role):
                yield from describe_routine(dataset.name, routine, self._word(routine.name)).items()

    def _table_schemas(self, datasets: Sequence[Dataset]) -> Iterator[tuple[str, Any]]:
        for _, made in self._described(datasets, worded=False):
            yield from made.schemas().items()

    def _free(self, name: str) -> str:
        """A name of a component that is not taken, nor are those made of it."""
        found, number = name, 2
        while {found, f"{found}_list", f"{found}_create", f"{found}_update"} & self._taken:
            found, number = f"{name}_{number}", number + 1
        self._taken |= {found, f"{found}_list", f"{found}_create", f"{found}_update"}
        return found

    def _word(self, name: str) -> str:
        """What stands after the verb in an operationId: usercontact -> Usercontact."""
        word = "".join(part[:1].upper() + part[1:] for part in _NO_WORD.split(name) if part)
        found, number = word, 2
        while found in self._words:
            found, number = f"{word}{number}", number + 1
        self._words.add(found)
        return found

    # -- scripts -----------------------------------------------------------------------------------------------------

    def _add_script(self, endpoint: Endpoint) -> None:
        word = "".join(p[:1].upper() + p[1:] for p in _BETWEEN.split(endpoint.name) if p)
        operation: Json = {
            "operationId": endpoint.method.lower() + word,
            "summary": endpoint.summary.strip() or endpoint.name,
            "tags": ["scripts"],
            "responses": {"200": self._output(endpoint)} | refusals(408, 409, 415, 422),
        }
        if endpoint.public:
            operation["security"] = []
        elif ANYONE in endpoint.roles:
            operation["security"] = [{"key": []}]
        if endpoint.limits:
            operation["description"] = "At most " + ", ".join(
                f"{limit.amount} calls in {limit.seconds} s per {limit.per}" for limit in endpoint.limits
            )  # fmt: skip
        self._input(endpoint, operation)
        path = f"/api/v2/{endpoint.name}"
        self._paths.setdefault(path, {})[endpoint.method.lower()] = operation

    def _input(self, endpoint: Endpoint, operation: Json) -> None:
        parameters = []
        if endpoint.tail:
            parameters.append({"name": endpoint.tail, "in": "path", "required": True, "schema": {"type": "string"}})
        if endpoint.raw:
            operation["requestBody"] = {"content": {"*/*": {"schema": {}}}}
        elif endpoint.input is not None:
            schema = self._model(endpoint.input, "validation")
            if endpoint.method in ("GET", "DELETE"):
                needed = schema.get("required", [])
                parameters += [
                    {"name": name, "in": "query", "required": name in needed, "schema": one}
                    for name, one in schema.get("properties", {}).items() if name != endpoint.tail
                ]  # fmt: skip
            else:
                operation["requestBody"] = {"required": bool(schema.get("required")), "content": json(schema)}
        if parameters:
            operation["parameters"] = parameters

    def _output(self, endpoint: Endpoint) -> Json:
        made: Json = {"description": "The answer."}
        kind = endpoint.output
        if kind is None or (isinstance(kind, type) and issubclass(kind, Response)):
            return made
        try:
            return made | {"content": json(self._model(kind, "serialization"))}
        except (PydanticSchemaGenerationError, PydanticUserError):
            return made

    def _model(self, kind: Any, mode: Any) -> Json:
        """The JSON Schema of a model; what it is made of becomes components."""
        template = "#/components/schemas/{model}"
        schema: Json = TypeAdapter(kind).json_schema(ref_template=template, mode=mode)
        for name, one in schema.pop("$defs", {}).items():
            other_table = name not in self._models and name in self._taken
            other_model = self._models.get(name, one) != one
            found = self._free(name) if other_table or other_model else name
            self._taken.add(found)
            self._models[found] = one
            if found != name:
                schema = _renamed(schema, f"#/components/schemas/{name}", f"#/components/schemas/{found}")
        return schema


def _members(items: Iterable[tuple[str, Any]]) -> Iterator[bytes]:
    """The members of a JSON object."""
    mark = b""
    for name, value in items:
        yield mark + response.dumps(name) + b":" + response.dumps(value)
        mark = b","


def _renamed(node: Any, old: str, new: str) -> Any:
    if isinstance(node, dict):
        return {k: new if k == "$ref" and v == old else _renamed(v, old, new) for k, v in node.items()}
    return [_renamed(v, old, new) for v in node] if isinstance(node, list) else node
