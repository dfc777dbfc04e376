"""Describe functions and procedures in OpenAPI."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from tableapi.openapi.components import Json, error_responses, json
from tableapi.schema.model import Routine
from tableapi.schema.types import json_schema
from tableapi.tables import overloads


def describe(dataset: str, routines: Sequence[Routine], word: str) -> Json:
    """Return the path and operations of the routines of one name; `word` ends their operationIds."""
    first = routines[0]
    kind = "_proc" if first.kind == "p" else "_func"
    path = f"/api/v2/{dataset}/{kind}/{quote(first.name, safe='')}"
    schemas: dict[str, list[Json]] = {}
    for routine in routines:
        for name, schema in _parameters(routine).items():
            known = schemas.setdefault(name, [])
            known += [] if schema in known else [schema]
    shaping = [
        {
            "name": "returns",
            "in": "query",
            "schema": {"type": "string"},
            "description": "TABLE, or the type of one value.",
        },
        {
            "name": "wrapper",
            "in": "query",
            "schema": {"type": "string"},
            "description": "The name to put the result under.",
        },
    ]
    responses = {"200": {"description": "The result.", "content": json({})}, **error_responses(408, 409, 415)}
    summary = next((routine.comment for routine in routines if routine.comment), f"Call {first.name}")
    common = {"summary": summary, "tags": [kind], "responses": responses}
    if len(routines) > 1:
        forms = "; ".join(overloads.signature(routine) for routine in routines)
        common["description"] = f"Chosen by the parameters that are sent and their types: {forms}."
    named = [
        {
            "name": name,
            "in": "query",
            "schema": found[0] if len(found) == 1 else {"anyOf": found},
            "description": "A parameter of the routine.",
        }
        for name, found in schemas.items()
        if name not in ("returns", "wrapper")
    ]
    values: list[Json] = [{"type": "object", "properties": _parameters(routine)} for routine in routines]
    sent = {"type": "object", "properties": {"params": {"anyOf": [{"type": "array", "items": {}}, *values]}}}
    return {
        path: {
            "get": common | {"operationId": f"get{word}", "parameters": named + shaping},
            "post": common
            | {"operationId": f"post{word}", "parameters": shaping, "requestBody": {"content": json(sent)}},
        }
    }


def _parameters(routine: Routine) -> Json:
    return {overloads.label(argument, place): json_schema(argument.type) for place, argument in enumerate(routine.sent)}
