"""The API as its caller may see it, in OpenAPI 3.1: made of the schema, the rights of the caller and the scripts.

Documents are kept by role and schema; DDL makes new ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from starlette.responses import Response

from tableapi import __version__, reply, routines
from tableapi.access import ANYONE, Actor
from tableapi.dataset import Dataset
from tableapi.door import Endpoint
from tableapi.openapi_parts import SECURITY, Json, components, json, refusals
from tableapi.openapi_table import describe, plain
from tableapi.schema import Table
from tableapi.services import Services

_NO_WORD = re.compile(r"[^\w]+")
_BETWEEN = re.compile(r"[/{}]+")
MOST_KEPT = 50
DIALECT = "https://spec.openapis.org/oas/3.1/dialect/base"


class Descriptions:
    def __init__(self, services: Services, title: str, *, keyed: bool) -> None:
        """`keyed`: callers without a session need a key."""
        self._services, self._title, self._keyed = services, title, keyed
        self._kept: dict[tuple[Any, ...], bytes] = {}

    def of(self, actor: Actor, datasets: Iterable[Dataset], *, scripts: bool) -> bytes:
        """The document for one caller, as JSON."""
        served = tuple(datasets)
        mark = (actor.role, scripts, *((d.name, d.schema.fingerprint) for d in served))
        if mark not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[mark] = reply.dumps(self._document(actor, served, scripts=scripts))
        return self._kept[mark]

    def _document(self, actor: Actor, datasets: tuple[Dataset, ...], *, scripts: bool) -> Json:
        document = _Document(self._title, self._security())
        for dataset in datasets:
            document.add_dataset(dataset, actor.role, many=len(datasets) > 1)
        for endpoint in self._services.scripts or () if scripts else ():
            if endpoint.public or endpoint.roles == () or {ANYONE, actor.role} & set(endpoint.roles):
                document.add_script(endpoint)
        return document.made

    def _security(self) -> list[Json]:
        if self._services.scripts is not None:
            return [{"key": [], "session": []}, {"key": [], "bearer": []}]
        return [{"key": []}] if self._keyed else []


class _Document:
    def __init__(self, title: str, security: list[Json]) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._taken: set[str] = {"Error", "Meta"}
        self._words: set[str] = set()
        self.made: Json = {
            "openapi": "3.1.0",
            "info": {"title": title, "version": __version__},
            "jsonSchemaDialect": DIALECT,
            "servers": [{"url": "/"}],
            "security": security,
            "tags": [],
            "paths": {},
            "components": components() | {"securitySchemes": SECURITY if security else {}},
        }

    # -- tables ------------------------------------------------------------------------------------------------------

    def add_dataset(self, dataset: Dataset, role: str, *, many: bool) -> None:
        rights = dataset.rights(role)

        def component(table: Table) -> str:
            mark = (dataset.name, table.name)
            if mark not in self._names:
                self._names[mark] = self._free(plain(f"{dataset.name}.{table.name}" if many else table.name))
            return self._names[mark]

        for table in dataset.schema.tables.values():
            word = self._word(f"{dataset.name} {table.name}" if many else table.name)
            if (made := describe(table, rights, f"/api/v2/{dataset.name}", component, word)) is None:
                continue
            self.made["tags"].append({"name": table.name} | ({"description": table.comment} if table.comment else {}))
            self.made["paths"] |= made.paths()
            self.made["components"]["schemas"] |= made.schemas()
        for routine in routines.public(dataset, role):
            self.made["paths"] |= routines.describe(dataset.name, routine, self._word(routine.name))
        self.made["tags"] = list({tag["name"]: tag for tag in self.made["tags"]}.values())

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

    def add_script(self, endpoint: Endpoint) -> None:
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
        self.made["paths"].setdefault(path, {})[endpoint.method.lower()] = operation

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
            kept = self.made["components"]["schemas"]
            if kept.setdefault(name, one) != one:  # two scripts have models of one name
                free = self._free(name)
                kept[free] = one
                schema = _renamed(schema, f"#/components/schemas/{name}", f"#/components/schemas/{free}")
        return schema


def _renamed(node: Any, old: str, new: str) -> Any:
    if isinstance(node, dict):
        return {k: new if k == "$ref" and v == old else _renamed(v, old, new) for k, v in node.items()}
    return [_renamed(v, old, new) for v in node] if isinstance(node, list) else node
