"""The constant parts of OpenAPI documents: options, errors, credentials."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import orjson

Json = dict[str, Any]

_TEXT, _FLAG, _WHOLE = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}

# name -> (schema, description). docs/reference/wire.md describes the options; aliases are in the description.
OPTIONS: dict[str, tuple[Json, str]] = {
    "fields": (
        _TEXT,
        "Comma list of fields, or `*`. Reads give all by default, writes the identifying ones; empty: the"
        " identifying ones. Also `<relation>.<field>` of a parent, `<json field>.<key>`, CAST(f AS type), MONTH(f) and"
        " other parts of dates, `<relation>.COUNT(*)` and other aggregates of related records, HIGHLIGHT(f); each with"
        " `AS <name>`. With `group` also COUNT(*), COUNT(f), SUM(f), AVG(f), MIN(f), MAX(f), PERCENTILE(f, 0.9),"
        " each also with FILTER (WHERE <conditions>) AS <name>. In lists also window functions over the rows of the"
        " page: SUM(f) OVER (PARTITION BY g ORDER BY h) AS <name>, and COUNT, AVG, MIN, MAX, ROW_NUMBER(), RANK(),"
        " DENSE_RANK(), LAG(f), LEAD(f), FIRST_VALUE(f), LAST_VALUE(f). Alias: select.",
    ),
    "filter": (
        _TEXT,
        "Conditions such as `(age > 30) AND (name CONTAINS 'x')`. Operators: = != <> > >= < <= EQ NE GT GTE"
        " LT LTE, [NOT] IN (...), [NOT] LIKE, ILIKE, CONTAINS, STARTS WITH, ENDS WITH, SIMILAR, [NOT] BETWEEN a AND b,"
        " IS [NOT] NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM, ~ ~* !~ !~* for regular expressions, MATCHES 'words'"
        " [USING english], and on arrays and ranges CONTAINS, CONTAINED BY, OVERLAPS, ADJACENT TO, BEFORE, AFTER,"
        " and on geometries WITHIN '{GeoJSON}', INTERSECTS, DWITHIN ('{GeoJSON}', metres);"
        " logic: AND OR XOR NOR NOT. `<relation>.<field>` asks for a related record, `<json field>.<key>` for a value"
        " inside JSON, `<relation>.COUNT(*)` for the number of related records. Alias: where.",
    ),
    "params": (_TEXT, "JSON object of the named values (`:name`) of the filter."),
    "ids": (_TEXT, "Comma list of identifiers; those of a composite key in parentheses: `(3,new),(1,eu)`."),
    "id_field": (_TEXT, "A unique field (or comma list) that identifies records instead of the primary key."),
    "order": (
        _TEXT,
        "Comma list of `field [asc|desc] [nulls first|last]`; also a field of a parent, a value inside JSON, a function"
        " or an aggregate of a relation, as in `fields`. Aliases: sort, order_by.",
    ),
    "group": (_TEXT, "Comma list of fields to group by, or of functions such as `MONTH(field)`. Alias: group_by."),
    "distinct": (_TEXT, "Fields; of records that are equal in them, the first one in the order is returned."),
    "having": (_TEXT, "Conditions on groups, such as `COUNT(*) > 3`."),
    "limit": (_WHOLE, "Records in the response; missing, 0, negative or too large: the maximum. Alias: top."),
    "offset": ({**_WHOLE, "default": 0}, "Records to leave out at the beginning. Alias: skip."),
    "cursor": (_TEXT, "Pages that stay fast: empty for the first, then `meta.next_cursor` of the last response."),
    "include_count": (
        {"anyOf": [_FLAG, {"type": "string", "enum": ["estimated"]}]},
        "`true`: the number of all records of the filter in `meta.count`; `estimated`: a cheap guess.",
    ),
    "count_only": (_FLAG, "The response is the number of records alone."),
    "include_schema": (_FLAG, "The description of the table in `meta.schema`."),
    "related": (
        _TEXT,
        "Comma list of relations to read with each record, or `*`. Options of one relation: `<relation>.fields`,"
        " `.filter`, `.order`, `.limit`, `.offset`, `.related`.",
    ),
    "as_list": (_FLAG, "Only the values of the key."),
    "wrap": ({**_FLAG, "default": True}, "`false`: a plain array instead of an object with `resource`."),
    "file": (_TEXT, "Download under this name; `.csv`, `.xlsx` or `.json` says in which format."),
    "accept": (_TEXT, "Format, for callers that cannot set the Accept header: `csv`, `xlsx`, `xml` or `json`."),
    "refresh": (_FLAG, "Read past any cache."),
    "continue": (_FLAG, "Go on after a record that failed; each that succeeded is kept."),
    "rollback": (_FLAG, "Say in the error that nothing was kept (nothing is, unless `continue`)."),
    "upsert": (
        {"type": "string", "enum": ["true", "false", "ignore", "get"], "default": "false"},
        "`true`: change the record when one with the same key (or `id_field`) exists; `ignore`: leave it as it is;"
        " `get`: leave it as it is, and return it.",
    ),
    "dry_run": (_FLAG, "The response that the write would have; nothing is kept."),
    "max_affected": (_WHOLE, "A write of more records is rejected and rolled back."),
    "return": (
        {"type": "string", "enum": ["minimal", "representation"]},
        '`minimal`: the response is `{"success": true}`.',
    ),
    "timezone": (_TEXT, "Times, and starts of days and months, in this zone, such as `Europe/Oslo`."),
    "numbers": (
        {"type": "string", "enum": ["json", "text"], "default": "json"},
        "`text`: numeric, bigint and money as strings, for languages whose numbers cannot hold them.",
    ),
    "explain": (_FLAG, "With all rights: how PostgreSQL would execute the read."),
    "allow_related_delete": (_FLAG, "Delete released children that cannot stand alone."),
    "force": (_FLAG, "Delete all records, when neither ids, records nor filter say which."),
    "method": (_TEXT, "The verb a POST stands for: GET, PUT, PATCH, MERGE or DELETE. Header: X-HTTP-Method-Override."),
}

READ = ("fields", "related", "id_field")
LIST = ("fields", "filter", "params", "ids", "id_field", "order", "distinct", "group", "having", "limit",
        "offset", "cursor", "include_count", "count_only", "include_schema", "related", "as_list", "wrap", "file",
        "accept", "refresh", "timezone", "numbers", "explain")  # fmt: skip
WRITE = ("fields", "related", "id_field", "continue", "rollback", "as_list", "wrap", "allow_related_delete",
         "dry_run", "max_affected", "return", "numbers")  # fmt: skip
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
        name: {"name": name, "in": "query", "description": text, "schema": schema}
        for name, (schema, text) in OPTIONS.items()
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
