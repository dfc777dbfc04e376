"""Describe tables for generators of typed clients, with one shape of response for each operation."""

from __future__ import annotations

from typing import ClassVar

from tableapi.openapi.components import Json, json, ref
from tableapi.openapi.tables import TableDescription


class TypedDescription(TableDescription):
    """A description without the options that change the shape of a response, and without files.

    `params` is left out because generators use the name for all options of a request.
    """

    LEFT_OUT: ClassVar[frozenset[str]] = frozenset((
        "params", "as_list", "wrap", "count_only", "group", "having", "include_schema", "file", "accept", "explain",
        "return", "method",
    ))  # fmt: skip

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
