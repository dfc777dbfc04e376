"""Describe tables for generators of typed clients, with a single response format per operation."""

from __future__ import annotations

from typing import ClassVar

from tableapi.auth.rights import Right
from tableapi.openapi.components import Json, json, ref
from tableapi.openapi.tables import TableDescription
from tableapi.schema.model import Column
from tableapi.schema.sqltypes import is_exact

FORMATS = {"integer": "int64", "money": "decimal"}  # numeric has none, because it may be NaN


class TypedDescription(TableDescription):
    """A description without files and without options that change the format of a response.

    `params` is omitted because generators use the name for all options of a request.
    """

    LEFT_OUT: ClassVar[frozenset[str]] = frozenset((
        "params", "as_list", "wrap", "count_only", "group", "having", "include_schema", "file", "accept", "explain",
        "return", "method", "numbers",
    ))  # fmt: skip

    def _identifier(self) -> Json:
        parameter = super()._identifier()
        columns = [self.table.columns[name] for name in self.table.key]
        if len(columns) == 1 and columns[0].type.kind == "integer":
            parameter["schema"] = {"type": "integer"}
        return parameter

    def _list_response(self) -> Json:
        return {"description": "The records.", "content": json(ref("schemas", f"{self.name}_list"))}

    def _record_response(self) -> Json:
        return {"description": "The record.", "content": json(ref("schemas", self.name))}

    def _records(self, suffix: str) -> Json:
        item = ref("schemas", f"{self.name}_{suffix}") if suffix else {"type": "object"}
        rows = {"type": "array", "items": item, "minItems": 1, "maxItems": 1000}
        return {"required": True, "content": json({
            "type": "object", "properties": {"resource": rows}, "required": ["resource"],
        })}  # fmt: skip


class TextNumbers(TypedDescription):
    """A description for clients that send `numbers=text`, and exact numbers as strings."""

    LEFT_OUT: ClassVar[frozenset[str]] = TypedDescription.LEFT_OUT - {"numbers"}

    def _field(self, column: Column, right: Right) -> Json:
        schema = super()._field(column, right)
        if not is_exact(column.type) or "type" not in schema:
            return schema
        words = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        types = [*dict.fromkeys("string" if word in ("integer", "number") else word for word in words)]
        form = {"format": FORMATS[column.type.kind]} if column.type.kind in FORMATS else {}
        return schema | form | {"type": types if len(types) > 1 else types[0]}
