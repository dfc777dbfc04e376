"""Describe functions and procedures in OpenAPI."""

from __future__ import annotations

from urllib.parse import quote

from tableapi.openapi.components import Json, error_responses, json
from tableapi.schema.model import Routine
from tableapi.schema.types import json_schema


def describe(dataset: str, routine: Routine, word: str) -> Json:
    """Return the path and operations of one routine; `word` ends their operationIds."""
    kind = "_proc" if routine.kind == "p" else "_func"
    path = f"/api/v2/{dataset}/{kind}/{quote(routine.name, safe='')}"
    arguments = [(a.name or str(n + 1), json_schema(a.type), n < routine.required) for n, a in enumerate(routine.sent)]
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
    summary = routine.comment or f"Call {routine.name}"
    named = [
        {"name": name, "in": "query", "schema": schema, "description": "A parameter of the routine."}
        for name, schema, _ in arguments
    ]
    values = {"type": "object", "properties": {name: schema for name, schema, _ in arguments}}
    sent = {"type": "object", "properties": {"params": {"anyOf": [{"type": "array", "items": {}}, values]}}}
    common = {"summary": summary, "tags": [kind], "responses": responses}
    return {
        path: {
            "get": common | {"operationId": f"get{word}", "parameters": named + shaping},
            "post": common
            | {"operationId": f"post{word}", "parameters": shaping, "requestBody": {"content": json(sent)}},
        }
    }
