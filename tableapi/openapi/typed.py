"""Describe tables for generators of typed clients, with a single response format per operation."""

from __future__ import annotations

from typing import ClassVar

from tableapi.auth.rights import Right
from tableapi.openapi.components import Json, json, ref
from tableapi.openapi.tables import TableDescription
from tableapi.schema.model import Column
from tableapi.schema.sqltypes import is_exact


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
    """A description for clients that read with `numbers=text`, and send exact numbers as strings."""

    def _field(self, column: Column, right: Right) -> Json:
        schema = super()._field(column, right)
        kind = schema.get("type")
        if not is_exact(column.type) or kind is None:
            return schema
        number = "integer" if column.type.kind == "integer" else "number"
        words = [kind] if isinstance(kind, str) else kind
        types = ["string" if word == number else word for word in words]
        form = "int64" if number == "integer" else "decimal"
        return schema | {"type": types if len(types) > 1 else types[0], "format": form}
