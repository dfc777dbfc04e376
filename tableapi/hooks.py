"""Table hooks of a project: what stands in front of the engine for one verb of one table (table-api §14)."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request

from tableapi import bodies, exports, filters, plan, reply, request, sheets, tables
from tableapi.crypto import WIRE_HEADER
from tableapi.errors import BadRequest
from tableapi.listing import listing
from tableapi.reading import Call
from tableapi.reply import Reply
from tableapi.scripts import Hook, Scripts


async def answer(scripts: Scripts, hook: Hook, call: Call, verb: str, ident: str | None, http: Any) -> Reply:
    """The hook's answer, or the engine's with the records as the hook left them.

    The option `form` tells a hook of GET that a file is asked for, csv or xlsx; it may answer what shall be in it.

    A hook always gets records that name their row: identifiers and filters are resolved before it runs, so that no
    way to name a row leads round it.
    """
    plan.right_of(call.table, call.rights, verb)
    http.scope.setdefault("state", {}).update(ip=http.ip, request_id=http.id)
    ctx = scripts.context(call.actor, Request(http.scope, http.receive))
    records = await _records(call, verb, ident)
    options = dict(call.query) | ({"id": ident} if ident is not None else {})
    options.pop("form", None)
    if verb == "GET" and (form := sheets.wanted(call.options(), call.headers)) is not None:
        options["form"] = form[0]
    made = await hook(ctx, records, options)
    if isinstance(made, sheets.Export):
        # A file has no session that could open its values.
        call.export, call.headers = made, {k: v for k, v in call.headers.items() if k != WIRE_HEADER}
        made = None
    if made is None:
        _replace(call, verb, ident, records)
        read = exports.read(call, ident, call.export.most) if call.export else tables.handle(call, verb, ident)
        found = await read
    elif ident is not None:
        found = Reply(reply.dumps(made[0] if made else {}))
    else:
        found = listing(call, call.options(), orjson.dumps(made, default=str), [])
    found.headers |= ctx.headers
    return found


async def _records(call: Call, verb: str, ident: str | None) -> list[dict[str, Any]]:
    if verb == "GET":
        return []
    if ident is not None:
        body = call.body if isinstance(call.body, dict) else {}
        inner = bodies.records(body, 1) if "resource" in body else [body]
        key = plan.identifier(ident, [call.table.columns[n] for n in call.table.key])
        return [dict((inner or [{}])[0]) | dict(zip(call.table.key, key, strict=True))]
    found = bodies.records(call.body, call.dataset.bounds.records) if call.body is not None else None
    if verb == "POST":
        if not found:
            raise BadRequest('No records: send {"resource": [ {...} ]}.', reason="no_records")
        return [dict(one) for one in found]
    options = call.options()
    if options.ids is None and not call.filter_text():
        if not found and verb != "DELETE":  # what a delete of nothing named means is the hook's to say
            raise BadRequest('No records: send {"resource": [ {...} ]}.', reason="no_records")
        return [dict(one) for one in found or ()]
    change = dict(found[0]) if found else {}
    return [change | key for key in await _keys(call, verb, options)]


async def _keys(call: Call, verb: str, options: request.Options) -> list[dict[str, Any]]:
    """The keys of the rows that `ids` or `filter` name, among those the caller may change."""
    wanted = [call.table.columns[n] for n in call.table.key]
    if options.ids is not None:
        return [dict(zip(call.table.key, plan.identifier(one, wanted), strict=True)) for one in options.ids]
    text = call.filter_text()
    right = plan.right_of(call.table, call.rights, verb)
    found, literals = filters.parse(text, call.dataset.bounds.filter)
    asked = plan.Asked(
        call.table, right, call.rights, request.Options(fields="", params=options.params), found, call.dataset.bounds
    )
    made = plan.list_plan(asked)
    values = plan.Values(call.actor, literals, options.params, [])
    row = await call.dataset.db.lanes.fetchrow(made.sql, *made.args(values))
    return orjson.loads(row["body"] or b"[]") if row else []


def _replace(call: Call, verb: str, ident: str | None, records: list[dict[str, Any]]) -> None:
    """What the engine goes on with: the records, by their keys."""
    if verb == "GET":
        return
    for name in ("ids", "filter", "where"):
        call.query.pop(name, None)
    kept = (
        {k: v for k, v in call.body.items() if k not in ("ids", "filter", "where")}
        if isinstance(call.body, dict)
        else {}
    )
    call.body = records[0] if ident is not None else kept | {"resource": records}
