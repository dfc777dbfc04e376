"""The subset of JSON Schema that Gemini, OpenAI's strict mode and IntelliJ accept in the schema of a tool."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

KEYWORDS = {
    "$ref", "$defs", "const", "not", "oneOf", "allOf", "anyOf", "exclusiveMinimum", "exclusiveMaximum",
    "patternProperties", "propertyNames", "prefixItems", "additionalProperties", "if", "dependentSchemas",
}  # fmt: skip
TYPES = ("string", "integer", "number", "boolean", "array", "object")


def faults(tools: Iterable[dict[str, Any]]) -> list[str]:
    """Return the faults in the names and schemas of tools, as they were listed."""
    found = []
    for tool in tools:
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool["name"]):
            found.append(f"{tool['name']}: name")
        found += _of_schema(tool["inputSchema"], tool["name"], typed=True)
        found += _of_schema(tool.get("outputSchema", {"type": "object"}), f"{tool['name']} result", typed=False)
    return found


def _of_schema(schema: Any, path: str, *, typed: bool) -> Iterator[str]:
    """Yield faults. typed: whether each part must have a type; values in results have any."""
    if not isinstance(schema, dict):
        yield f"{path}: {schema!r} instead of a schema"
        return
    yield from (f"{path}: {word}" for word in KEYWORDS & schema.keys())
    type_ = schema.get("type")
    if (typed or "type" in schema) and type_ not in TYPES:
        yield f"{path}: type {type_!r}"
    if "enum" in schema and (type_ != "string" or not all(isinstance(v, str) and v for v in schema["enum"])):
        yield f"{path}: enum of {type_} {schema['enum']}"
    if type_ == "array" or "items" in schema:
        yield from _of_schema(schema.get("items"), f"{path}[]", typed=typed)
    for name, part in schema.get("properties", {}).items():
        yield from _of_schema(part, f"{path}.{name}", typed=typed)
    if not set(schema.get("required", [])) <= schema.get("properties", {}).keys():
        yield f"{path}: required {schema['required']}"
