"""Read a table: find or build the plan, run it, and render its JSON."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import Any

import orjson

from tableapi import exact_json, threads
from tableapi.auth.authenticators import session_token
from tableapi.crypto.vault import WIRE_HEADER, wire_for
from tableapi.datasets import answer_size
from tableapi.errors import ApiError, BadRequest, NotFound
from tableapi.http import etag
from tableapi.http.body import records
from tableapi.http.response import Response, attachment
from tableapi.query import cursor, plan
from tableapi.query.expressions.operand import CREDENTIAL
from tableapi.query.filter import cache
from tableapi.query.filter.ast import Filter
from tableapi.query.option_values import integer
from tableapi.query.options import Options, body_key, options
from tableapi.query.plan import Bindings, Plan, ReadRequest
from tableapi.query.spelling import unknown_field
from tableapi.schema.model import Column
from tableapi.tables import describe, errors
from tableapi.tables.batch import Batch
from tableapi.tables.render import as_file, listing
from tableapi.tables.request import TableRequest, requested_format


def read(call: TableRequest) -> Awaitable[Response]:
    """Handle a GET of a table or a record, including one tunnelled through POST."""
    if call.ident is not None and not call.query:
        return single(call)  # its plan, which is made for a right, is not found without one
    plan.right_of(call.table, call.rights, "GET")
    if call.ident is not None:
        return single(call)
    idents = _idents(call)
    if idents is not None:
        return several(call, idents)
    return many(call)


def _idents(call: TableRequest) -> list[Any] | None:
    """Return the identifiers of option `ids`, or of the records in a tunnelled body."""
    if "ids" in call.query or (isinstance(call.body, dict) and "ids" in call.body):
        idents = call.options().ids
        records(idents and [{"id": 0}] * len(idents), call.dataset.limits.records)
        return idents
    if isinstance(call.body, list) or (isinstance(call.body, dict) and "resource" in call.body):
        return records(call.body, call.dataset.limits.records)
    return None


# -- plans and their values ------------------------------------------------------------------------------------------


def shape_key(call: TableRequest, *parts: Any) -> tuple[Any, ...]:
    """Return the key of a plan: the table, the role, and all options except bound values."""
    query = call.dataset.plan_cache.option_key(call.query, call.table) if call.query else ()
    rest: Any = ()
    if call.body is not None or "params" in call.query:
        body = body_key(call.body, call.table.relation, call.dataset.limits.filter)
        rest = cache.digest((body, plan.params_key(named_values(call))))
    return (call.actor.role, call.table.name, query, rest, call.export.most if call.export else 0, *parts)


def named_values(call: TableRequest) -> dict[str, Any]:
    sent = {"params": call.body["params"]} if isinstance(call.body, dict) and "params" in call.body else None
    return options({"params": call.query["params"]} if "params" in call.query else {}, sent).params


def read_request(call: TableRequest, parsed: Options, tree: Filter | None) -> ReadRequest:
    right = plan.right_of(call.table, call.rights, "GET")
    return ReadRequest(call.table, right, call.rights, parsed, tree, call.limits(), account=call.recorded_by)


def _bind(call: TableRequest, values: Bindings, of_plan: Options) -> None:
    """Bind the named values and literals of this request; the plan was built for an earlier one."""
    if of_plan.params:
        values.params = named_values(call)
    values.conditions = plan.conditions(call.options(), values.limits)


_PIECE = 400_000  # characters of base64; a multiple of four


async def plan_keyed(call: TableRequest, key: Any, count: int) -> tuple[list[Any], Plan]:
    """Return the identifying fields, and the plan that reads up to `count` records by them."""
    parsed = call.options()
    request = read_request(call, parsed, None)
    columns = plan.identifying(call.table, parsed.id_field, request.right)
    return await call.dataset.plan_cache.plan(
        "read", key, call.table, parsed, lambda: (columns, plan.keyed_plan(request, columns, count))
    )


# -- records by identifier -------------------------------------------------------------------------------------------


async def single(call: TableRequest) -> Response:
    """Handle a GET of one record by its path."""
    shape = shape_key(call, "keyed", 1)
    columns, keyed = call.dataset.plan_cache.get(shape) or await plan_keyed(call, shape, 1)
    key = plan.identifier(call.ident, columns)
    values, known = Bindings(call.actor, [], {}, [key], limits=call.dataset.limits.filter), keyed.options
    if known.params or known.relations:
        _bind(call, values, known)
    row = await call.dataset.fetchrow(keyed, values, call.actor.session or call.actor.key)
    if row is None:
        raise errors.missing(call.ident)
    body: bytes = await unsealed(call, keyed.sealed, row["body"]) if keyed.sealed else row["body"]
    tag = etag.etag(row["mark"], row["body"] if keyed.beyond_row else b"")
    if "if-none-match" in call.headers and etag.matches(call.headers, tag):
        return Response(b"", 304, headers={"ETag": tag})
    if (form := requested_format(keyed.options, call.headers)) is not None:
        return await as_file(call, b"[" + body + b"]", keyed.names, *form)
    return Response(body, headers={"ETag": tag})


async def several(call: TableRequest, idents: list[Any]) -> Response:
    """Handle a read by `ids`, in that order. A missing record is an error in the batch."""
    parsed = call.options()
    batch = Batch("retrieved", parsed)
    columns = plan.identifying(call.table, parsed.id_field, read_request(call, parsed, None).right)
    keys: list[list[Any]] = []
    places: list[int | ApiError] = []  # for each identifier, its index in `keys` or its error
    for ident in idents:
        try:
            parts = plan.identifier(ident, columns)
            for column, part in zip(columns, parts, strict=True):
                plan.checked(column, part)
            places.append(len(keys))
            keys.append(parts)
        except ApiError as error:
            places.append(error)
    rows: dict[int, bytes] = {}
    sealed = 0
    names: tuple[str, ...] = ()
    if keys:
        shape = shape_key(call, "keyed", count := plan.rounded(len(keys)))
        _, keyed = call.dataset.plan_cache.get(shape) or await plan_keyed(call, shape, count)
        values = Bindings(call.actor, [], {}, keys, limits=call.dataset.limits.filter)
        _bind(call, values, keyed.options)
        sealed, names = keyed.sealed, keyed.names
        async with call.dataset.db.reads.acquire() as connection:
            await answer_size.check(call.dataset.limits, connection.fetchrow, keyed, values)
            rows = {row.get("place", 0): row["body"] for row in await connection.fetch(keyed.sql, *keyed.args(values))}
        rows = dict(zip(rows, await each_unsealed(call, sealed, list(rows.values())), strict=True))
    for ident, place in zip(idents, places, strict=True):
        if isinstance(place, ApiError):
            batch.failed(place)
        elif place in rows:
            batch.done(rows[place])
        else:
            batch.failed(errors.missing(ident))
        if batch.stopped:
            break
    return await listing(call, parsed, batch.body(), names)


async def raw(call: TableRequest) -> Response:
    """Return the bytes of one column of a record, named by option `raw`.

    Raises:
        UnknownField: there is no such column that the caller may read.
        NotFound: the record does not exist for the caller, or the column is NULL.
    """
    name = call.query["raw"]
    right = plan.right_of(call.table, call.rights, "GET")
    column = call.table.find(name)
    if column is None or not right.can_read(column.name):
        raise unknown_field(name, call.table, right)
    query = {key: value for key, value in call.query.items() if key == "id_field"}
    headers = {key: value for key, value in call.headers.items() if key not in ("accept", "if-none-match")}
    quoted = column.name if '"' in column.name else f'"{column.name}"'
    response = await single(replace(call, query=query | {"fields": quoted}, headers=headers))
    value = await threads.body(len(response.body), _raw_value, response.body, column)
    if value is None:
        raise NotFound(f"Field '{column.name}' of this record has no value.")
    file = attachment(f"{call.table.bare}-{call.ident}") | {"ETag": response.headers["ETag"]}
    if column.type.kind == "bytea":
        return Response(value, content_type="application/octet-stream", headers=file)
    if column.type.kind == "json":
        return Response(exact_json.dumps(value), headers={"ETag": response.headers["ETag"]})
    text = value if isinstance(value, str) else exact_json.dumps(value).decode()
    return Response(text.encode(), content_type="text/plain; charset=utf-8", headers=file)


def _raw_value(body: bytes, column: Column) -> Any:
    """Return the only value of a record; bytea is decoded in pieces."""
    start, end = b"{" + exact_json.dumps(column.name) + b':"', b'"}'
    sent = body[len(start) : -len(end)]
    if column.type.kind != "bytea" or body != start + sent + end or b'"' in sent:
        value = exact_json.loads(body)[column.name]
        return value if column.type.kind != "bytea" or value is None else base64.b64decode(value)
    return b"".join(base64.b64decode(sent[at : at + _PIECE]) for at in range(0, len(sent), _PIECE))


# -- records by filter -----------------------------------------------------------------------------------------------


async def many(call: TableRequest) -> Response:
    """Handle a read by filter: return records, groups, or their number."""
    text = call.filter_text()
    tree, literals = cache.parse(text, call.dataset.limits.filter) if text else (None, [])
    mark = tree.mark if tree else None
    sent = {**call.body, **call.query} if isinstance(call.body, dict) else call.query
    offset = _offset(call, sent)
    cursor_text = sent.get("cursor")
    position: list[Any] | None = None
    if cursor_text is None:
        key = shape_key(call, mark, offset > 0)
    else:
        position = _position(call, str(cursor_text), tree)
        key = shape_key(call, mark, "cursor", tuple(value is None for value in position))
    page: Plan | None = call.dataset.plan_cache.get(key)
    if page is None:
        parsed = replace(call.options(), offset=offset)
        if position is not None:
            parsed.cursor, parsed.offset = "", 0
        request = read_request(call, parsed, tree)
        page = await call.dataset.plan_cache.plan("read", key, call.table, parsed, plan.list_plan, request, position)
    values = Bindings(call.actor, literals, {}, [], offset, position, limits=call.dataset.limits.filter)
    known = page.options
    if known.params or known.relations or known.having:
        _bind(call, values, known)
    if page.options.explain:
        return await describe.explained(call, page, values)
    row = await call.dataset.fetchrow(page, values, call.actor.session or call.actor.key)
    if page.kind == "count":
        return Response(b"%d" % _count(row, page))
    meta = await _meta(call, page, values, row) if page.meta else {}
    tag = etag.of_list(row["body"] or b"[]", meta)
    if tag and "if-none-match" in call.headers and etag.matches(call.headers, tag):
        return Response(b"", 304, headers={"ETag": tag})
    body: bytes = row["body"] or b"[]"
    body = await unsealed(call, page.sealed, body) if page.sealed else body
    response = await listing(call, page.options, body, page.names, meta)
    if tag:
        response.headers["ETag"] = tag
    return response


def _offset(call: TableRequest, sent: Mapping[str, Any]) -> int:
    """Return the offset from the options as they were sent."""
    value = sent.get("offset")
    if value is None:
        value = sent.get("skip")
    if value is None:
        return 0
    offset = integer("offset", value)
    largest = call.dataset.limits.offset
    if largest is not None and offset > largest:
        raise BadRequest(f"The offset may be at most {largest}. Use a cursor to read on.", reason="bad_option")
    return max(offset, 0)


def _position(call: TableRequest, text: str, tree: Filter | None) -> list[Any]:
    """Decode option `cursor` to the values at which the last page ended; [] for the first page."""
    if not text.strip():
        return []
    parsed = call.options()
    length = plan.order_length(read_request(call, parsed, tree))
    return cursor.decode_cursor(text.strip(), plan.order_mark(call.table, parsed), length)


async def _meta(call: TableRequest, page: Plan, values: Bindings, row: Any) -> dict[str, Any]:
    """Return the `meta` of a list: count, next page and schema, as requested."""
    parsed = page.options
    more = bool(page.probe and row["more"])
    meta: dict[str, Any] = {}
    if parsed.include_count and not parsed.estimated:
        meta["count"] = row["count"]
    elif page.counter and (parsed.estimated or (more and parsed.limit != page.limit)):
        caller = call.actor.session or call.actor.key
        meta["count"] = _count(await call.dataset.fetchrow(page.counter, values, caller), page.counter)
    if parsed.cursor is not None:
        if more:
            last = orjson.dumps(orjson.loads(row["position"])[0])
            meta["next_cursor"] = cursor.encode_cursor(page.mark, last)
    elif "count" in meta and (more if page.probe else values.offset + page.limit < meta["count"]):
        meta["next"] = values.offset + page.limit
    if parsed.include_schema:
        right = plan.right_of(call.table, call.rights, "GET")
        meta["schema"] = describe.describe(call.dataset.schema, call.table, right, call.rights)
    return meta


def _count(row: Any, counter: Plan) -> int:
    return int(orjson.loads(row[0])[0]["Plan"]["Plan Rows"] if counter.estimate else row["count"])


async def unsealed(call: TableRequest, sealed: int, body: bytes) -> bytes:
    """Decrypt the sealed fields of a response body; the rest stays as PostgreSQL rendered it.

    sealed: of the plan.
    """
    return (await each_unsealed(call, sealed, [body]))[0] if sealed else body


async def each_unsealed(call: TableRequest, sealed: int, bodies: list[bytes]) -> list[bytes]:
    """Decrypt the sealed fields of several bodies."""
    if sealed == CREDENTIAL and bodies:
        call.shows_credentials = True
    if not sealed or call.dataset.unseal is None:
        return bodies
    return await threads.body(4 * sum(map(len, bodies)), lambda: [unseal(call, sealed, body) for body in bodies])


def unseal(call: TableRequest, sealed: int, body: bytes) -> bytes:
    """Decrypt the sealed fields of one record."""
    if not sealed or call.dataset.unseal is None:
        return body
    return call.dataset.unseal.body(body, wire_for(call.headers.get(WIRE_HEADER), session_token(call.headers)))
