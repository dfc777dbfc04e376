"""Describe one table in OpenAPI: its records, and the operations that the caller may use."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar
from urllib.parse import quote

import orjson

from tableapi.auth.rights import Right, Rights
from tableapi.openapi.components import (
    CHOOSE,
    LIST,
    READ,
    RECORD,
    RELATION,
    WRITE,
    Json,
    error_responses,
    json,
    options,
    ref,
)
from tableapi.query.option_table import BY_NAME
from tableapi.schema.model import Column, Relation, Table
from tableapi.schema.types import json_schema
from tableapi.tables.describe import related
from tableapi.tables.export import XLSX

MAX_DESCRIBED_RELATIONS = 12  # beyond this number, options of relations are not listed one by one
VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_NOT_IN_NAME = re.compile(r"[^\w.-]", re.ASCII)
_LETTER = re.compile("[A-Za-z]")
# Statuses of errors, besides those common to all operations.
_ERRORS: dict[str, tuple[int, ...]] = {"GET": (), "POST": (408, 409, 415, 422)}
_ERRORS_OF_CHANGES = (408, 409, 412, 415, 422)
_DONE = {"PUT": "Change", "PATCH": "Change", "DELETE": "Delete"}


def plain(name: str) -> str:
    """Return a name with the characters that component names may have, at least one of them a letter."""
    word = _NOT_IN_NAME.sub("_", name)
    return word if _LETTER.search(word) else f"table{word.strip('_.-')}"


class TableDescription:
    """Describe one table under the rights of a caller.

    `component` names the schema of a table, `word` ends the operationIds, and `options` lists those of each relation.
    """

    LEFT_OUT: ClassVar[frozenset[str]] = frozenset()  # options that are not described

    def __init__(
        self, table: Table, rights: Rights, path: str, component: Callable[[Table], str], word: str,
        *, tag: str, options: bool,
    ) -> None:  # fmt: skip
        self.tag, self.options = tag, options
        self.table, self.rights, self.component, self.word = table, rights, component, word
        self.path = f"{path}/_table/{quote(table.name, safe='')}"
        self.name = component(table)
        self._encoded: dict[tuple[bool, tuple[int, ...]], orjson.Fragment] = {}  # responses
        self.may: dict[str, Right] = {verb: right for verb in VERBS if (right := rights.right(table, verb))}

    # -- schemas -----------------------------------------------------------------------------------------------------

    def schemas(self) -> Json:
        schemas = {self.name: self._record(), f"{self.name}_list": self._list()}
        for verb, suffix in (("POST", "create"), ("PATCH", "update")):
            if verb in self.may:
                schemas[f"{self.name}_{suffix}"] = self._sent(verb)
        return schemas

    def _record(self) -> Json:
        right = self.may.get("GET") or next(iter(self.may.values()))
        fields = {c.name: self._field(c, right) for c in self.table.columns.values() if right.can_read(c.name)}
        relations = {r.name: self._related(r) for r in related(self.table, self.rights)}
        text = self.table.comment or f"A record of {self.table.name}. Which fields are there depends on `fields`."
        return {"type": "object", "description": text, "properties": fields | relations}

    def _field(self, column: Column, right: Right) -> Json:
        targets = (relation.target for relation in self.table.relations.values())
        is_named = column.refers is not None and any(
            target.name == column.refers[0] and any(self.rights.right(target, verb) for verb in VERBS)
            for target in targets
        )
        return field(column, right, is_named=is_named)

    def _related(self, relation: Relation) -> Json:
        target = ref("schemas", self.component(relation.target))
        text = f"With related={relation.name}."
        if relation.many:
            return {"type": "array", "items": target, "description": text}
        return {"anyOf": [target, {"type": "null"}], "description": text}

    def _list(self) -> Json:
        rows = {"type": "array", "items": ref("schemas", self.name)}
        return {
            "type": "object",
            "properties": {"resource": rows, "meta": ref("schemas", "Meta")},
            "required": ["resource"],
        }

    def _sent(self, verb: str) -> Json:
        right = self.may[verb]
        columns = [
            c for c in self.table.columns.values()
            if not c.fixed and right.may_set((c.name,))
        ]  # fmt: skip
        schema: Json = {"type": "object", "properties": {c.name: self._field(c, right) for c in columns}}
        schema["description"] = "May hold related records under the names of relations; they are written with it."
        if verb == "POST" and (required := [c.name for c in columns if c.required and not c.refers]):
            schema["required"] = required
        return schema

    # -- paths -------------------------------------------------------------------------------------------------------

    def paths(self) -> Json:
        paths: Json = {self.path: self._operations(single=False)}
        if self.table.key:
            paths[f"{self.path}/{{id}}"] = {"parameters": [self._identifier()], **self._operations(single=True)}
        if (read := self.may.get("GET")) is not None and read.changes and self.table.key:
            paths[f"{self.path}/_changes"] = {"get": self._changes()}
        return {path: item for path, item in paths.items() if item.keys() - {"parameters"}}

    def _identifier(self) -> Json:
        key = self.table.key
        text = f"The value of {key[0]}." if len(key) == 1 else f"The values of {', '.join(key)}, joined by commas."
        return {
            "name": "id",
            "in": "path",
            "required": True,
            "description": text,
            "schema": {"type": "string", "minLength": 1},
        }

    def _operations(self, *, single: bool) -> Json:
        operations: dict[str, Callable[[], Json]] = {
            "GET": self._get_one if single else self._get,
            "PUT": lambda: self._change("PUT", single),
            "PATCH": lambda: self._change("PATCH", single),
            "DELETE": lambda: self._change("DELETE", single),
        }
        if not single:
            operations["POST"] = self._post
        return {verb.lower(): operations[verb]() for verb in VERBS if verb in self.may and verb in operations}

    def _operation(self, verb: str, single: bool, summary: str, more: Json) -> Json:
        ident = verb.lower() + self.word + ("ById" if single else "")
        return {"operationId": ident, "summary": summary, "tags": [self.tag], **more}

    def _parameters(self, *names: str) -> Any:
        """Return the options of a read, and those of each relation unless there are many."""
        relations = related(self.table, self.rights)
        if not self.options or not relations or len(relations) > MAX_DESCRIBED_RELATIONS:
            return self._options(*names)
        return [ref("parameters", name) for name in names if name not in self.LEFT_OUT] + [
            {"name": f"{relation.name}.{name}", "in": "query", "schema": BY_NAME[name].schema,
             "description": f"Option `{name}` of the relation."}
            for relation in relations for name in RELATION
        ]  # fmt: skip

    def _options(self, *names: str) -> orjson.Fragment:
        return options(*(name for name in names if name not in self.LEFT_OUT))

    def _responses(self, verb: str, *, single: bool) -> orjson.Fragment:
        """Return the responses as JSON; operations of one table with the same statuses share them."""
        statuses = _ERRORS.get(verb, _ERRORS_OF_CHANGES)
        if (single, statuses) not in self._encoded:
            success: Json = {"200": self._record_response() if single else self._list_response()}
            if single and verb == "GET":
                success["304"] = {"description": "Not changed since If-None-Match."}
            self._encoded[single, statuses] = orjson.Fragment(orjson.dumps({**success, **error_responses(*statuses)}))
        return self._encoded[single, statuses]

    def _record_response(self) -> Json:
        tag = {"description": "The version of the record.", "schema": {"type": "string"}}
        content = json(ref("schemas", self.name)) | _files()
        return {"description": "The record.", "content": content, "headers": {"ETag": tag}}

    def _list_response(self) -> Json:
        rows = {"type": "array", "items": {}, "description": "With wrap=false, or of keys with as_list."}
        number = {"type": "integer", "description": "With count_only."}
        keys = {"type": "object", "properties": {"resource": {"type": "array", "items": {}}}, "required": ["resource"],
                "description": "With as_list or group."}  # fmt: skip
        schema = {"anyOf": [ref("schemas", f"{self.name}_list"), keys, rows, number]}
        return {"description": "The records.", "content": json(schema) | _files()}

    def _get(self) -> Json:
        more = {"parameters": self._parameters(*LIST), "responses": self._responses("GET", single=False)}
        return self._operation("GET", False, f"Read records of {self.table.name}", more)

    def _get_one(self) -> Json:
        more = {"parameters": self._parameters(*RECORD), "responses": self._responses("GET", single=True)}
        return self._operation("GET", True, f"Read one record of {self.table.name}", more)

    def _changes(self) -> Json:
        text = {"text/event-stream": {"schema": {"type": "string"}}}
        stream = {"description": "Server-sent events: reset, row and gone.", "content": text}
        more = {
            "operationId": f"follow{self.word}",
            "summary": f"Follow changes of {self.table.name}",
            "tags": [self.tag],
            "parameters": self._options("fields", "filter", "related", "params"),
        }
        return more | {"responses": {"200": stream, **error_responses(409)}}

    def _post(self) -> Json:
        more = {
            "parameters": self._options(*WRITE, "upsert", "method", "IdempotencyKey"),
            "requestBody": self._records("create"),
            "responses": self._responses("POST", single=False),
        }
        return self._operation("POST", False, f"Create records of {self.table.name}", more)

    def _change(self, verb: str, single: bool) -> Json:
        chosen = () if single else CHOOSE + (("force",) if verb == "DELETE" else ())
        upsert = ("upsert",) if single and verb == "PUT" else ()
        names = (
            (*READ, "allow_related_delete", *upsert, "dry_run", "return", "numbers", "IfMatch", "IdempotencyKey")
            if single
            else (*WRITE, *chosen, "IdempotencyKey")
        )
        more: Json = {"parameters": self._options(*names), "responses": self._responses(verb, single=single)}
        if verb != "DELETE":
            suffix = "update" if "PATCH" in self.may else ""
            body = ref("schemas", f"{self.name}_update") if suffix else {"type": "object"}
            more["requestBody"] = {"required": True, "content": json(body)} if single else self._records(suffix)
        what = "one record" if single else "records"
        return self._operation(verb, single, f"{_DONE[verb]} {what} of {self.table.name}", more)

    def _records(self, suffix: str) -> Json:
        item = ref("schemas", f"{self.name}_{suffix}") if suffix else {"type": "object"}
        rows = {"type": "array", "items": item, "minItems": 1, "maxItems": 1000}
        wrapped = {
            "type": "object",
            "properties": {"resource": {"anyOf": [rows, item]}},
            "required": ["resource"],
            "description": "Options may be added next to `resource`.",
        }
        return {"required": True, "content": json({"anyOf": [wrapped, rows]}) | _csv()}


def _csv() -> Json:
    return {"text/csv": {"schema": {"type": "string"}}}


def _files() -> Json:
    return _csv() | {XLSX: {"schema": {"type": "string", "format": "binary"}}}


def field(column: Column, right: Right, *, is_named: bool) -> Json:
    """Return the schema of one field. `is_named`: whether the table that it refers to may be named."""
    schema: Json = json_schema(column.type)
    if column.nullable and "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        schema["type"] = [*types, "null"]
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
    if column.length:
        schema["maxLength"] = column.length
    if column.fixed:
        schema["readOnly"] = True
    text = [column.comment or "", schema.get("description", ""), column.type.db_type]
    if column.refers and is_named:
        text.append(f"refers to {column.refers[0]}.{column.refers[1]}")
    if column.name in right.sealed:
        text.append("encrypted; cannot be searched or sorted")
    schema["description"] = ", ".join(filter(None, text))
    return schema


def describe(
    table: Any, rights: Rights, path: str, component: Callable[[Table], str], word: str, *, tag: str, options: bool,
    kind: type[TableDescription] = TableDescription,
) -> TableDescription | None:  # fmt: skip
    """Describe a table; None if the caller may not use it at all."""
    description = kind(table, rights, path, component, word, tag=tag, options=options)
    return description if description.may else None
