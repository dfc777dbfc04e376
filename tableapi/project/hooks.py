"""Run the table hooks of a project before or instead of the engine (docs/guides/scripts.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tableapi import exact_json
from tableapi.crypto.vault import WIRE_HEADER
from tableapi.errors import ApiError, BadRequest
from tableapi.http import body as request_body
from tableapi.http import response
from tableapi.http.request import HttpRequest
from tableapi.http.response import Reply
from tableapi.project import export
from tableapi.project.registry import Hook, Scripts
from tableapi.query import plan
from tableapi.query.filter import cache
from tableapi.query.options import Options
from tableapi.query.spelling import spelled
from tableapi.tables import export as export_formats
from tableapi.tables import read, refusals, tenant_guard, verbs
from tableapi.tables.batch import Batch
from tableapi.tables.read import TableRequest, missing
from tableapi.tables.render import listing
from tableapi.tables.write import Writer

_ROW_OPTIONS = ("ids", "filter", "where", "id_field")  # options that select rows


async def answer(
    scripts: Scripts, hook: Hook, call: TableRequest, verb: str, ident: str | None, request: HttpRequest
) -> Reply:
    """Return the response of the hook, or the engine's for the records as the hook left them.

    A hook always receives records that hold the key of their row, under the names of the columns: identifiers,
    `id_field` and filters are resolved before it runs. The option `form` tells a GET hook that a file is requested,
    csv or xlsx; the hook may return an `Export` with its contents. Records that name another account than the
    session's are refused before the hook runs, because a hook need not check every field.

    Raises ApiError.
    """
    if call.rights.right(call.table, verb) is None:
        tenant_guard.unpermitted(call, verb)
        plan.right_of(call.table, call.rights, verb)
    # Bad options are refused before the hook has any effect.
    request_options = call.options() if verb == "GET" else _options(call, verb, ident)
    ctx = scripts.context(call.actor, request)
    records: list[dict[str, Any]] = []
    options = dict(call.query)
    if verb != "GET":
        ident = await _ident(call, verb, ident)
        records = await _records(call, verb, ident)
        if not records and (request_options.ids is not None or call.filter_text()):
            return await listing(call, request_options, b"[]", [])  # what names rows and finds none does nothing
        if verb == "DELETE" and ident is None:
            refusals.empty_list(call.body)
        refusals.too_many(request_options.max_affected, len(records))
        await _refuse_foreign(hook, call, verb, ident, records)
    if ident is not None:
        options["id"] = ident
    options.pop("form", None)
    if verb == "GET" and (form := export_formats.requested_format(request_options, call.headers)) is not None:
        options["form"] = form[0]
    result = await hook(ctx, records, options)
    if isinstance(result, export_formats.Export):
        # A file is read without the session that could decrypt its fields.
        call.export, call.headers = result, {k: v for k, v in call.headers.items() if k != WIRE_HEADER}
        result = None
    if result is None:
        if call.export:
            reply = await export.read(call, ident, call.export.most)
        elif verb == "GET":
            reply = await read.read(call, ident)
        else:
            _replace_records(call, verb, ident, records)
            reply = await verbs.handle(call, verb, ident)
    elif ident is not None:
        reply = Reply(response.dumps(result[0] if result else {}))
    else:
        reply = await listing(call, call.options(), response.dumps(result), [])
    reply.headers |= ctx.headers
    return reply


def passes(hook: Hook) -> bool:
    """Return whether a hook always leaves the response to the engine: it is declared to return None."""
    return hook.__annotations__.get("return") in (None, "None")


def _options(call: TableRequest, verb: str, ident: Any) -> Options:
    """Return the options of a write; the body of a write by path is the record itself and holds none."""
    return call.options() if ident is None else replace(call, body=None).options()


async def _ident(call: TableRequest, verb: str, ident: str | None) -> Any:
    """Return the identifier in the path as a value of the table's primary key, with `id_field` resolved."""
    if ident is None or verb == "POST":
        return ident
    if not (id_field := _options(call, verb, ident).id_field.strip()):
        return ident
    [key] = await _by_field(call, verb, id_field, [ident])
    parts = list(key.values())
    return str(parts[0]) if len(parts) == 1 else parts


async def _records(call: TableRequest, verb: str, ident: Any) -> list[dict[str, Any]]:
    """Return the records that the request writes, each with the key of its row.

    Raises BadRequest without any.
    """
    table = call.table
    if ident is not None:
        sent = call.body if isinstance(call.body, dict) else {}
        inner = request_body.records(sent, 1) if "resource" in sent else [sent]
        key = plan.identifier(ident, [table.columns[n] for n in table.key])
        return [spelled(table, (inner or [{}])[0]) | dict(zip(table.key, key, strict=True))]
    body = request_body.records(call.body, call.dataset.bounds.records) if call.body is not None else None
    records = [spelled(table, record) for record in body or ()]
    if verb == "POST":
        if not records:
            raise BadRequest('No records: send {"resource": [ {...} ]}.', reason="no_records")
        return records
    options = call.options()
    if options.ids is None and not call.filter_text():
        if not records and verb != "DELETE":  # the hook decides what a DELETE that names no rows means
            raise BadRequest('No records: send {"resource": [ {...} ]}.', reason="no_records")
        if not options.id_field.strip():
            return records
        keys = await _by_field(call, verb, options.id_field, records)
        return [record | key for record, key in zip(records, keys, strict=True)]
    change: dict[str, Any] = {}
    if verb != "DELETE":
        if not records:  # a record without "resource" round it would be taken for options, and nothing be written
            raise BadRequest('No records: send {"resource": [ {...} ]}.', reason="no_records")
        change = refusals.only_one(records)
    return [change | key for key in await _keys(call, verb, options)]


async def _keys(call: TableRequest, verb: str, options: Options) -> list[dict[str, Any]]:
    """Return the keys of the rows that `ids` or `filter` select, among those the caller may write."""
    key = [call.table.columns[n] for n in call.table.key]
    if options.ids is not None and options.id_field.strip():
        return await _by_field(call, verb, options.id_field, options.ids)
    if options.ids is not None:
        return [dict(zip(call.table.key, plan.identifier(ident, key), strict=True)) for ident in options.ids]
    right = plan.right_of(call.table, call.rights, verb)
    tree, literals = cache.parse(call.filter_text(), call.dataset.bounds.filter)
    keys_only = Options(fields="", params=options.params)
    request = plan.ReadRequest(call.table, right, call.rights, keys_only, tree, call.dataset.bounds)
    listing_plan = plan.list_plan(request)
    values = plan.Bindings(call.actor, literals, options.params, [], limits=call.dataset.bounds.filter)
    row = await call.dataset.db.reads.fetchrow(listing_plan.sql, *listing_plan.args(values))
    return exact_json.loads(row["body"] or b"[]") if row else []


async def _by_field(call: TableRequest, verb: str, id_field: str, idents: list[Any]) -> list[dict[str, Any]]:
    """Return the keys of rows identified by other unique fields.

    Raises NotFound for a row out of the right.
    """
    right = plan.right_of(call.table, call.rights, verb)
    columns = plan.identifying(call.table, id_field, right)
    request = plan.ReadRequest(call.table, right, call.rights, Options(fields=""), None, call.dataset.bounds)
    keyed_plan = plan.keyed_plan(request, columns, 1)
    keys = []
    for ident in idents:
        values = plan.Bindings(call.actor, [], {}, [plan.identifier(ident, columns)])
        row = await call.dataset.db.reads.fetchrow(keyed_plan.sql, *keyed_plan.args(values))
        if row is None:
            raise missing(ident)
        keys.append({name: value for name, value in exact_json.loads(row["body"]).items() if name in call.table.key})
    return keys


async def _refuse_foreign(hook: Hook, call: TableRequest, verb: str, ident: Any, records: list[dict[str, Any]]) -> None:
    """Refuse records that name another account, before the hook runs.

    If the engine writes the response, the refusal of a record in a list is reported as part of the batch.
    """
    foreign = {
        number: field for number, record in enumerate(records) if (field := tenant_guard.foreign(call, verb, record))
    }
    if not foreign:
        return
    key = [call.table.columns[n] for n in call.table.key]
    options = _options(call, verb, ident)
    batch = Batch("deleted" if verb == "DELETE" else "updated", options)
    async with call.dataset.db.writes.acquire() as connection:
        writer = Writer(call, options, connection)
        for number, record in enumerate(records):
            try:
                if number in foreign:
                    if verb == "POST":
                        raise tenant_guard.field_refusal(call, foreign[number])
                    right, values = plan.right_of(call.table, call.rights, verb), plan.identifier(record, key)
                    await refusals.unchanged(writer, call.table, right, key, values, foreign[number])
            except ApiError as error:
                if ident is not None or not passes(hook):
                    raise
                batch.failed(error)
                break
            batch.done(exact_json.dumps({name: record[name] for name in call.table.key if name in record}))
    if batch.errors:
        batch.answer()  # raises, also with `continue`: no record of the request is tried


def _replace_records(call: TableRequest, verb: str, ident: Any, records: list[dict[str, Any]]) -> None:
    """Let the engine continue with the records of the hook, identified by their primary keys."""
    options = _options(call, verb, ident) if verb != "POST" else Options()
    for name in _ROW_OPTIONS:
        call.query.pop(name, None)
    if options.id_field.strip() and options.fields is None:
        call.query["fields"] = options.id_field
    rest = {k: v for k, v in call.body.items() if k not in _ROW_OPTIONS} if isinstance(call.body, dict) else {}
    call.body = records[0] if ident is not None else rest | {"resource": records}
