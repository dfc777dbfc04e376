"""Table hooks of a project: what stands in front of the engine for one verb of one table (table-api §14)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.requests import Request

from tableapi import exact_json
from tableapi.crypto.vault import WIRE_HEADER
from tableapi.endpoints import export
from tableapi.endpoints.registry import Hook, Scripts
from tableapi.errors import ApiError, BadRequest
from tableapi.http import body as request_body
from tableapi.http import response
from tableapi.http.response import Reply
from tableapi.query import plan
from tableapi.query.filter import cache
from tableapi.query.options import Options
from tableapi.query.spelling import spelled
from tableapi.tables import endpoints, refusals, tenant_guard
from tableapi.tables import export as export_formats
from tableapi.tables.batch import Batch
from tableapi.tables.read import TableRequest, missing
from tableapi.tables.render import listing
from tableapi.tables.write import Writer

_NAMED = ("ids", "filter", "where", "id_field")  # options that name rows


async def answer(scripts: Scripts, hook: Hook, call: TableRequest, verb: str, ident: str | None, http: Any) -> Reply:
    """The hook's answer, or the engine's with the records as the hook left them.

    The option `form` tells a hook of GET that a file is asked for, csv or xlsx; it may answer what shall be in it.

    A hook always gets records that name their row, by the key, and their fields under the names of the columns:
    identifiers, `id_field` and filters are resolved before it runs. A record that names another account than the
    session's is refused before that, since a hook need not look at every field.
    """
    tenant_guard.unpermitted(call, verb)
    plan.right_of(call.table, call.rights, verb)
    _options(call, verb, ident)  # bad options are refused before the hook does anything
    http.scope.setdefault("state", {}).update(ip=http.ip, request_id=http.id)
    ctx = scripts.context(call.actor, Request(http.scope, http.receive))
    ctx.hit = http.hit
    ident = await _ident(call, verb, ident)
    records = await _records(call, verb, ident)
    await _own_account(hook, call, verb, ident, records)
    options = dict(call.query) | ({"id": ident} if ident is not None else {})
    options.pop("form", None)
    if verb == "GET" and (form := export_formats.wanted(call.options(), call.headers)) is not None:
        options["form"] = form[0]
    try:
        made = await hook(ctx, records, options)
    finally:
        http.hit = ctx.hit
    if isinstance(made, export_formats.Export):
        # A file has no session that could open its values.
        call.export, call.headers = made, {k: v for k, v in call.headers.items() if k != WIRE_HEADER}
        made = None
    if made is None:
        _replace(call, verb, ident, records)
        read = export.read(call, ident, call.export.most) if call.export else endpoints.handle(call, verb, ident)
        found = await read
    elif ident is not None:
        found = Reply(response.dumps(made[0] if made else {}))
    else:
        found = listing(call, call.options(), response.dumps(made), [])
    found.headers |= ctx.headers
    return found


def passes(hook: Hook) -> bool:
    """Return whether a hook, declared to return None, always leaves the answer to the engine."""
    return hook.__annotations__.get("return") in (None, "None")


def _options(call: TableRequest, verb: str, ident: Any) -> Options:
    """Return the options of a request; the body of a write by path is the record and holds none."""
    return call.options() if ident is None or verb == "GET" else replace(call, body=None).options()


async def _ident(call: TableRequest, verb: str, ident: str | None) -> Any:
    """Return the identifier of the path as a value of the table's key, with `id_field` resolved."""
    if ident is None or verb in ("GET", "POST"):
        return ident
    if not (id_field := _options(call, verb, ident).id_field.strip()):
        return ident
    [key] = await _by_field(call, verb, id_field, [ident])
    parts = list(key.values())
    return str(parts[0]) if len(parts) == 1 else parts


async def _records(call: TableRequest, verb: str, ident: Any) -> list[dict[str, Any]]:
    if verb == "GET":
        return []
    table = call.table
    if ident is not None:
        sent = call.body if isinstance(call.body, dict) else {}
        inner = request_body.records(sent, 1) if "resource" in sent else [sent]
        key = plan.identifier(ident, [table.columns[n] for n in table.key])
        return [spelled(table, (inner or [{}])[0]) | dict(zip(table.key, key, strict=True))]
    body = request_body.records(call.body, call.dataset.bounds.records) if call.body is not None else None
    found = [spelled(table, one) for one in body or ()]
    if verb == "POST":
        if not found:
            raise BadRequest('No records: send {"resource": [ {...} ]}.', reason="no_records")
        return found
    options = call.options()
    if options.ids is None and not call.filter_text():
        if not found and verb != "DELETE":  # what a delete of nothing named means is the hook's to say
            raise BadRequest('No records: send {"resource": [ {...} ]}.', reason="no_records")
        if not options.id_field.strip():
            return found
        keys = await _by_field(call, verb, options.id_field, found)
        return [one | key for one, key in zip(found, keys, strict=True)]
    if len(found) > 1 and verb != "DELETE":
        raise BadRequest("With ids or filter send one record: the change for all of them.", reason="bad_records")
    change = found[0] if found and verb != "DELETE" else {}
    return [change | key for key in await _keys(call, verb, options)]


async def _keys(call: TableRequest, verb: str, options: Options) -> list[dict[str, Any]]:
    """The keys of the rows that `ids` or `filter` name, among those the caller may change."""
    wanted = [call.table.columns[n] for n in call.table.key]
    if options.ids is not None and options.id_field.strip():
        return await _by_field(call, verb, options.id_field, options.ids)
    if options.ids is not None:
        return [dict(zip(call.table.key, plan.identifier(one, wanted), strict=True)) for one in options.ids]
    text = call.filter_text()
    right = plan.right_of(call.table, call.rights, verb)
    found, literals = cache.parse(text, call.dataset.bounds.filter)
    asked = plan.ReadRequest(
        call.table, right, call.rights, Options(fields="", params=options.params), found, call.dataset.bounds
    )
    made = plan.list_plan(asked)
    values = plan.Bindings(call.actor, literals, options.params, [])
    row = await call.dataset.db.reads.fetchrow(made.sql, *made.args(values))
    return exact_json.loads(row["body"] or b"[]") if row else []


async def _by_field(call: TableRequest, verb: str, id_field: str, idents: list[Any]) -> list[dict[str, Any]]:
    """Return the keys of rows named by other unique fields. Raise NotFound for a row out of the right."""
    right = plan.right_of(call.table, call.rights, verb)
    wanted = plan.identifying(call.table, id_field, right)
    asked = plan.ReadRequest(call.table, right, call.rights, Options(fields=""), None, call.dataset.bounds)
    made = plan.keyed_plan(asked, wanted, 1)
    keys = []
    for one in idents:
        values = plan.Bindings(call.actor, [], {}, [plan.identifier(one, wanted)])
        row = await call.dataset.db.reads.fetchrow(made.sql, *made.args(values))
        if row is None:
            raise missing(one)
        keys.append({name: value for name, value in exact_json.loads(row["body"]).items() if name in call.table.key})
    return keys


async def _own_account(hook: Hook, call: TableRequest, verb: str, ident: Any, records: list[dict[str, Any]]) -> None:
    """Refuse records that name another account, before the hook runs.

    Where the answer is the engine's, a refused record of a list is reported inside the batch.
    """
    foreign = [(n, found) for n, one in enumerate(records) if (found := tenant_guard.foreign(call, verb, one))]
    if not foreign:
        return
    wanted = [call.table.columns[n] for n in call.table.key]
    options = _options(call, verb, ident)
    batch = Batch("deleted" if verb == "DELETE" else "updated", options)
    failed = dict(foreign)
    async with call.dataset.db.writes.acquire() as connection:
        writer = Writer(call, options, connection)
        for number, record in enumerate(records):
            try:
                if number in failed:
                    if verb == "POST":
                        raise tenant_guard.field_refusal(call, failed[number])
                    right, key = plan.right_of(call.table, call.rights, verb), plan.identifier(record, wanted)
                    await refusals.unchanged(writer, call.table, right, wanted, key, failed[number])
            except ApiError as error:
                if ident is not None or not passes(hook):
                    raise
                batch.failed(error)
                break
            batch.done(exact_json.dumps({name: record[name] for name in call.table.key if name in record}))
    if batch.errors:
        batch.answer()  # with `continue` too: no record of the request is tried


def _replace(call: TableRequest, verb: str, ident: Any, records: list[dict[str, Any]]) -> None:
    """What the engine goes on with: the records, by their keys."""
    if verb == "GET":
        return
    options = _options(call, verb, ident) if verb != "POST" else Options()
    for name in _NAMED:
        call.query.pop(name, None)
    if options.id_field.strip() and options.fields is None:
        call.query["fields"] = options.id_field
    kept = {k: v for k, v in call.body.items() if k not in _NAMED} if isinstance(call.body, dict) else {}
    call.body = records[0] if ident is not None else kept | {"resource": records}
