"""References of a step to values in the responses of earlier steps: `{"$ref": "order.resource.0.id"}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tableapi.errors import BadRequest

REF = "$ref"
MAX_DEPTH = 20


def named(value: Any, depth: int = MAX_DEPTH) -> list[str]:
    """Return all references in a value. Raises BadRequest for a malformed one."""
    if depth == 0:
        raise BadRequest(f"The batch is nested more than {MAX_DEPTH} levels deep.", reason="bad_json")
    if isinstance(value, Mapping):
        if REF in value:
            if len(value) > 1 or not isinstance(value[REF], str):
                message = 'A reference must be an object with a single member: {"$ref": "order.resource.0.id"}.'
                raise BadRequest(message, reason="bad_reference")
            return [value[REF]]
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [name for item in value for name in named(item, depth - 1)]
    return []


def replaced(value: Any, values: Mapping[str, Any]) -> Any:
    """Copy a value with each reference replaced by its entry in `values`."""
    if isinstance(value, dict):
        if REF in value:
            return values[value[REF]]
        return {name: replaced(item, values) for name, item in value.items()}
    if isinstance(value, list):
        return [replaced(item, values) for item in value]
    return value


def found(reference: str, decoded: Mapping[str, Any]) -> Any:
    """Return the value that a reference points to. Raises BadRequest if there is none."""
    name, *path = reference.split(".")
    value = decoded[name]
    for part in path:
        if isinstance(value, list) and part.isascii() and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isascii() and part.isdigit():
            raise BadRequest(
                f"The response of '{name}' has no '{'.'.join(path)[:100]}': its list has fewer than "
                f"{int(part[:9]) + 1} records.",
                reason="bad_reference",
                context={"reference": reference[:200]},
            )
        else:
            raise BadRequest(
                f"The response of '{name}' has no '{'.'.join(path)[:100]}'. Request the field in its option 'fields'.",
                reason="bad_reference",
                context={"reference": reference[:200]},
            )
    return value
