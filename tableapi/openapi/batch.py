"""Describe `_batch`: several table requests in one transaction."""

from __future__ import annotations

from tableapi.auth.policy import VERBS
from tableapi.openapi.components import Json, error_responses, json

TAG = "Batch"
_ID: Json = {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}
_STEP: Json = {
    "type": "object",
    "required": ["path"],
    "properties": {
        "id": _ID | {"description": "Later requests refer to the response by this name."},
        "method": {"type": "string", "enum": list(VERBS), "default": "GET"},
        "path": {"type": "string", "examples": ["_table/orders", "_table/orders/7"]},
        "query": {"type": "object", "additionalProperties": True, "description": "The options, by name."},
        "body": {"description": 'Records. {"$ref": "order.resource.0.id"} stands for a value of an earlier response.'},
    },
    "additionalProperties": False,
}
_REQUEST: Json = {
    "type": "object",
    "required": ["requests"],
    "properties": {
        "requests": {"type": "array", "minItems": 1, "maxItems": 100, "items": _STEP},
        "dry_run": {"type": "boolean", "default": False},
    },
}
_RESPONSE: Json = {
    "type": "object",
    "required": ["responses"],
    "properties": {
        "responses": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "status", "body"],
                "properties": {"id": {"type": ["string", "null"]}, "status": {"type": "integer"}, "body": {}},
            },
        }
    },
}


def describe(dataset: str, word: str) -> Json:
    """Return the path of one database; `word` ends the operationId."""
    operation: Json = {
        "operationId": f"batch{word}",
        "summary": "Run several requests in one transaction",
        "description": "In order, each with the rights of a request of its own. If one fails, nothing is kept.",
        "tags": [TAG],
        "requestBody": {"required": True, "content": json(_REQUEST)},
        "responses": {
            "200": {"description": "The responses of all requests, in order.", "content": json(_RESPONSE)},
            **error_responses(403, 404, 409, 415, 422),
        },
    }
    return {f"/api/v2/{dataset}/_batch": {"post": operation}}
