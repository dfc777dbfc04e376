"""Describe the API in OpenAPI 3.1 from the schema, the rights of the caller and the scripts.

`openapi/cache.py` stores the documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import chain
from operator import or_
from types import UnionType
from typing import Any, get_args

from pydantic import TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from starlette.responses import Response as StarletteResponse

from tableapi.auth.policy import ANYONE
from tableapi.datasets.dataset import Dataset
from tableapi.http.response import dumps
from tableapi.openapi import batch
from tableapi.openapi.components import SECURITY, Json, components, errors_of, json
from tableapi.openapi.routines import describe as describe_routine
from tableapi.openapi.tables import TableDescription, describe, plain
from tableapi.project.guard import SCRIPTS, Script
from tableapi.schema.model import Routine, Table
from tableapi.tables import routines
from tableapi.version import VERSION

MAX_DETAILED_TABLES = 200  # in a larger document, options of single relations are omitted
_NOT_IN_WORD = re.compile(r"\W+", re.ASCII)  # orval and others leave out letters outside ASCII
_SIGNS = re.compile(r"[\W_]+")
_PATH_SEPARATORS = re.compile(r"[/{}]+")
DIALECT = "https://spec.openapis.org/oas/3.1/dialect/base"


class Document:
    """One document, built in pieces, so that one with thousands of tables is never fully in memory.

    `role` selects the rights, `root` is the URL path of the mount, `kind` describes the tables.
    """

    def __init__(
        self, title: str, security: list[Json], role: str, root: str = "/",
        *, kind: type[TableDescription] = TableDescription,
    ) -> None:  # fmt: skip
        self._kind = kind
        self._title, self._security, self._role, self._root = title, security, role, root
        self._names: dict[tuple[str, str], str] = {}
        self._taken: set[str] = {"error", "meta"}  # names of components, without signs and in lower case
        self._words: set[str] = set()  # the same of operationIds
        self._tags: list[Json] = []
        self._last: dict[str, None] = {}  # the tags of everything that has no group of its own, in order
        self._paths: Json = {}  # those of scripts
        self._models: Json = {}
        self._named: dict[tuple[str, bytes], str] = {}  # the components of models, by name and schema
        self._script_words: dict[str, str] = {}
        self._own_keys: Json = {}  # security schemes of scripts

    def pieces(self, datasets: Sequence[Dataset], scripts: Iterable[Script]) -> Iterator[bytes]:
        """Yield the JSON text of the document."""
        head = {
            "openapi": "3.1.0",
            "info": {"title": self._title, "version": VERSION},
            "jsonSchemaDialect": DIALECT,
            "servers": [{"url": self._root}],
            "security": self._security,
        }
        scripts = list(scripts)
        for script in scripts:  # before the tables, which may have been named alike later
            if script.name not in self._script_words:
                self._script_words[script.name] = self._word(_PATH_SEPARATORS.sub(" ", script.name))
        first: dict[str, None] = {}  # the tags of scripts that have one of their own, in order
        yield dumps(head)[:-1] + b',"paths":{'
        yield from _members(self._table_paths(datasets))
        for script in scripts:
            self._add_script(script)
            (self._last if script.tag == SCRIPTS else first)[script.tag] = None
        yield b"," if self._paths and self._tags else b""
        yield from _members(self._paths.items())
        rest = components() | {"securitySchemes": (SECURITY if self._security else {}) | self._own_keys}
        fixed = rest.pop("schemas")
        named = {tag["name"]: tag for tag in self._tags}
        tags = [named.get(tag, {"name": tag}) for tag in first | named | self._last]
        yield b'},"tags":' + dumps(tags) + b',"components":' + dumps(rest)[:-1] + b',"schemas":{'
        yield from _members(chain(fixed.items(), self._table_schemas(datasets), self._models.items()))
        yield b"}}}"

    # -- tables ------------------------------------------------------------------------------------------------------

    def _described(self, datasets: Sequence[Dataset], *, worded: bool) -> Iterator[tuple[str, TableDescription]]:
        """Yield (tag, description) of every table that the caller may use."""
        many = len(datasets) > 1
        for dataset in datasets:
            rights, tables = dataset.rights(self._role), list(dataset.schema.tables.values())
            component = partial(self._component, dataset.name if many else "")
            for table in tables:
                tag = f"{dataset.name}.{table.name}" if many else table.name
                word = self._word(f"{dataset.name} {table.name}" if many else table.name) if worded else ""
                options = len(tables) <= MAX_DETAILED_TABLES
                path = f"/api/v2/{dataset.name}"
                description = describe(table, rights, path, component, word, tag=tag, options=options, kind=self._kind)
                if description is not None:
                    yield tag, description

    def _component(self, prefix: str, table: Table) -> str:
        mark = (prefix, table.name)
        if mark not in self._names:
            self._names[mark] = self._free(
                plain(f"{prefix}.{table.name}" if prefix else table.name), "_list", "_create", "_update"
            )
        return self._names[mark]

    def _table_paths(self, datasets: Sequence[Dataset]) -> Iterator[tuple[str, Any]]:
        for tag, description in self._described(datasets, worded=True):
            comment = description.table.comment
            self._tags.append({"name": tag} | ({"description": comment} if comment else {}))
            yield from description.paths().items()
        for dataset in datasets if self._tags else ():
            self._last |= {batch.TAG: None}
            yield from batch.describe(dataset.name, self._word(dataset.name)).items()
            overloads: dict[tuple[str, str], list[Routine]] = {}
            for routine in routines.public(dataset, self._role):
                overloads.setdefault((routine.kind, routine.name), []).append(routine)
            for named in overloads.values():
                [(path, item)] = describe_routine(dataset.name, named, self._word(named[0].name)).items()
                self._last |= dict.fromkeys(item["get"]["tags"])
                yield path, item

    def _table_schemas(self, datasets: Sequence[Dataset]) -> Iterator[tuple[str, Any]]:
        for _, description in self._described(datasets, worded=False):
            yield from description.schemas().items()

    def _free(self, name: str, *suffixes: str) -> str:
        """Reserve the name of a component, also with each suffix; with a number if one is taken."""
        return _reserve(self._taken, name, ("", *suffixes), "_")

    def _word(self, name: str) -> str:
        """Reserve the part of an operationId that follows the verb: order item -> OrderItem."""
        word = "".join(part[:1].upper() + part[1:] for part in _NOT_IN_WORD.split(name) if part)
        return _reserve(self._words, word or "Table", ("", "ById"), "")

    # -- scripts -----------------------------------------------------------------------------------------------------

    def _add_script(self, script: Script) -> None:
        operation: Json = {
            "operationId": script.method.lower() + self._script_words[script.name],
            "summary": script.summary.strip() or script.name,
            "tags": [script.tag],
            "responses": {"200": self._output(script), **described_errors(script)},
        }
        if script.public:
            operation["security"] = self._public_security(script)
        elif ANYONE in script.roles:
            operation["security"] = [{"key": []}]
        notes = []
        if script.own_key is not None and script.own_key.scope:
            notes.append(f"Needs a key with the scope `{script.own_key.scope}`.")
        if script.limits:
            limits = (f"{limit.amount} calls in {limit.seconds} s per {limit.per}" for limit in script.limits)
            notes.append(f"At most {', '.join(limits)}.")
        if notes:
            operation["description"] = " ".join(notes)
        self._input(script, operation)
        path = f"/api/v2/{script.name}"
        self._paths.setdefault(path, {})[script.method.lower()] = operation

    def _public_security(self, script: Script) -> list[Json]:
        """Return the credentials that a public script checks: its own key, or a session if it names roles."""
        sessions = self._security if script.roles else []
        if script.own_key is None:
            return sessions
        key = script.own_key
        self._own_keys[key.name] = {
            "type": "apiKey", "in": "header", "name": key.header, "description": key.description,
        }  # fmt: skip
        return [{key.name: []}, *sessions]

    def _input(self, script: Script, operation: Json) -> None:
        parameters = []
        if script.tail:
            parameters.append({"name": script.tail, "in": "path", "required": True, "schema": {"type": "string"}})
        if script.raw:
            operation["requestBody"] = {"content": {"*/*": {"schema": {}}}}
        elif script.input is not None:
            schema = self._model(script.input, "validation")
            if script.method in ("GET", "DELETE"):
                required = schema.get("required", [])
                parameters += [
                    {"name": name, "in": "query", "required": name in required, "schema": field}
                    for name, field in schema.get("properties", {}).items() if name != script.tail
                ]  # fmt: skip
            else:
                operation["requestBody"] = {"required": bool(schema.get("required")), "content": json(schema)}
        if parameters:
            operation["parameters"] = parameters

    def _output(self, script: Script) -> Json:
        response: Json = {"description": "The response."}
        output = _described(script.output)
        if output is None:
            return response
        try:
            return response | {"content": json(self._model(output, "serialization"))}
        except (PydanticSchemaGenerationError, PydanticUserError):
            return response

    def _model(self, kind: Any, mode: Any) -> Json:
        """Return the JSON Schema of a model; models that it references become components."""
        template = "#/components/schemas/{model}"
        schema: Json = TypeAdapter(kind).json_schema(ref_template=template, mode=mode)
        definitions: Json = schema.pop("$defs", {})
        names = {}
        for name in definitions:
            mark = (name, dumps(_reachable(name, definitions)))
            if mark not in self._named:
                self._named[mark] = self._free(name)
            names[template.format(model=name)] = template.format(model=self._named[mark])
        for name, definition in definitions.items():
            component = names[template.format(model=name)].rpartition("/")[2]
            self._models[component] = _renamed(definition, names)
        renamed: Json = _renamed(schema, names)
        return renamed


def described_errors(script: Script) -> Mapping[str, Json]:
    """Return the error responses of a script: its own, and those of the checks before it runs."""
    statuses = {429, 500, 503, *script.errors}
    if not script.public or script.roles or script.own_key is not None:
        statuses |= {401, 403}
    if script.takes_input:
        statuses |= {400, 422}
    if script.takes_input and script.method != "GET":
        statuses |= {408, 413, 415}
    if script.method != "GET" and not script.public:  # of an Idempotency-Key
        statuses.add(409)
    if script.tail:
        statuses.add(404)
    return errors_of(*sorted(statuses))


def _described(returned: Any) -> Any:
    """Return the part of a script's return type with a schema, that is, without a Response; or None."""
    if not isinstance(returned, UnionType):
        return None if isinstance(returned, type) and issubclass(returned, StarletteResponse) else returned
    kinds = [kind for kind in get_args(returned) if _described(kind) is not None]
    return reduce(or_, kinds) if kinds else None


def _members(items: Iterable[tuple[str, Any]]) -> Iterator[bytes]:
    """Yield the members of a JSON object."""
    comma = b""
    for name, value in items:
        yield comma + dumps(name) + b":" + dumps(value)
        comma = b","


def _renamed(node: Any, names: dict[str, str]) -> Any:
    """Return a schema with its references replaced, also those in the mapping of a discriminator."""
    if isinstance(node, dict):
        return {key: _renamed(value, names) for key, value in node.items()}
    if isinstance(node, list):
        return [_renamed(value, names) for value in node]
    return names.get(node, node) if isinstance(node, str) else node


def _reachable(name: str, definitions: Json) -> Json:
    """Return the definition of a model, and those of the models that it refers to."""
    found: Json = {}
    waiting = [name]
    while waiting:
        if (one := waiting.pop()) not in found:
            found[one] = definitions[one]
            text = dumps(definitions[one]).decode()
            waiting += [other for other in definitions if f'/{other}"' in text]
    return found


def _reserve(taken: set[str], name: str, suffixes: tuple[str, ...], joint: str) -> str:
    """Return a name that generators can tell from those in `taken`, and add it and the derived ones.

    They write order_item and OrderItem as one name, and file systems of some machines ignore the case as well.
    """
    free, number = name, 2
    while (names := {_SIGNS.sub("", free + suffix).casefold() for suffix in suffixes}) & taken:
        free, number = f"{name}{joint}{number}", number + 1
    taken |= names
    return free
