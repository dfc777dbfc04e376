"""The constant parts of OpenAPI documents: options, errors, credentials."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import orjson

from tableapi.query.option_table import TABLE, on

Json = dict[str, Any]

LIST, RECORD, WRITE = on("list"), on("record"), on("write")
READ = ("fields", "related", "id_field")
CHOOSE = ("ids", "filter", "params")
RELATION = ("fields", "filter", "order", "limit", "offset", "related")

ERRORS: dict[int, str] = {
    400: "A bad option, filter, body or value; with code 1000 some records of a list failed.",
    401: "No or bad credentials.",
    402: "The credits or the plan do not allow this, or it costs more than the request permits.",
    403: "The role may not do this.",
    404: "There is no such table or record.",
    405: "The verb does not exist here.",
    406: "The format is not served.",
    408: "The body came too slowly.",
    409: "A conflict: a duplicate value, a reference to or from another record, or a change in the meantime.",
    412: "The record was changed since it was read (If-Match).",
    413: "The body or the number of records is too large.",
    415: "The content type is not served.",
    422: "A field does not hold what it must, or an Idempotency-Key was used for something else.",
    429: "Too many requests; Retry-After says when to come back.",
    500: "A fault of the server.",
    502: "Another service sent no valid response.",
    503: "The database is not reachable or busy; Retry-After says when to come back.",
}


def ref(kind: str, name: str) -> Json:
    return {"$ref": f"#/components/{kind}/{name}"}


@cache
def options(*names: str) -> orjson.Fragment:
    """Return references to options as JSON, which is encoded once for all operations."""
    return orjson.Fragment(orjson.dumps([ref("parameters", name) for name in names]))


@cache
def error_responses(*statuses: int) -> Mapping[str, Json]:
    """Return the error responses of an operation: `statuses`, and those common to all operations.

    Operations with the same statuses share the result, so it must not be modified.
    """
    common = {400, 401, 403, 404, 405, 413, 429, 500, 503}
    return errors_of(*sorted(common | set(statuses)))


def errors_of(*statuses: int) -> Mapping[str, Json]:
    """Return the error responses with these statuses only."""
    return {str(status): ref("responses", f"Error{status}") for status in statuses}


def json(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


def components() -> Json:
    """Return the parameters, schemas and responses that every document contains."""
    parameters = {
        option.name: {"name": option.name, "in": "query", "description": option.text, "schema": option.schema}
        for option in TABLE
        if option.text
    }
    parameters["IfMatch"] = _header("If-Match", "The ETag of the record as it was read; another version is 412.")
    parameters["IdempotencyKey"] = _header(
        "Idempotency-Key", "Sent again with the same body, the request is not repeated."
    )
    return {"parameters": parameters, "schemas": _schemas(), "responses": _responses()}


def _header(name: str, text: str) -> Json:
    return {"name": name, "in": "header", "description": text, "schema": {"type": "string", "maxLength": 64}}


def _schemas() -> Json:
    context = {
        "description": "For programs: `reason` and `scope`, and what belongs to the reason. Null inside a batch.",
        "type": ["object", "null"],
        "properties": {
            "reason": {"type": "string"},
            "case": {"type": "string", "description": "Which message, if several share the reason."},
            "scope": {"type": "string", "description": "`account`: sign in again. `resource`: this request alone."},
            "request_id": {"type": "string"},
            "doc": {"type": "string", "description": "The address of the description of the reason."},
        },
    }
    error = {
        "type": "object",
        "properties": {
            "code": {"type": "integer", "description": "The status, or 1000 for a batch."},
            "context": context,
            "message": {"type": "string"},
            "status_code": {"type": "integer"},
        },
        "required": ["code", "context", "message", "status_code"],
    }
    meta = {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "description": "All records of the filter."},
            "next": {"type": "integer", "description": "The offset of the next page."},
            "next_cursor": {"type": "string", "description": "The cursor of the next page."},
            "schema": {"type": "object", "description": "The table, with include_schema."},
        },
    }
    wrapped = {"type": "object", "properties": {"error": error}, "required": ["error"]}
    return {"Error": wrapped, "Meta": meta}


def _responses() -> Json:
    return {
        f"Error{status}": {"description": text, "content": json(ref("schemas", "Error"))}
        for status, text in ERRORS.items()
    }


SECURITY = {
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "The application key."},
    "session": {"type": "apiKey", "in": "header", "name": "X-Session-Token", "description": "The token of a session."},
    "bearer": {"type": "http", "scheme": "bearer", "description": "The token of a session."},
}
