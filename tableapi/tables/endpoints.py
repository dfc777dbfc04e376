"""The table endpoints: which verb means what. Each is a few lines over reading.py and writing.py."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from tableapi import exact_json
from tableapi.auth.rights import EVERYTHING
from tableapi.errors import ApiError, BadRequest, MethodNotAllowed
from tableapi.http import body as request_body
from tableapi.http import etag
from tableapi.http.response import Reply
from tableapi.query import answer_size, dml, plan
from tableapi.query.filter import cache
from tableapi.query.names import names
from tableapi.query.options import Options, boolean
from tableapi.schema.model import Column
from tableapi.tables import prepared_write, read, tenant_guard
from tableapi.tables.batch import Batch, BatchStopped, trying
from tableapi.tables.read import TableRequest
from tableapi.tables.render import listing
from tableapi.tables.write import Writer, Written


async def handle(call: TableRequest, verb: str, ident: str | None) -> Reply:
    """One request for a table or a record. Raises ApiError."""
    if verb == "GET":
        return await read.read(call, ident)
    if (made := await prepared_write.write(call, verb, ident)) is not None:
        return made
    tenant_guard.unpermitted(call, verb)
    plan.right_of(call.table, call.rights, verb)
    if verb == "POST":
        if ident is not None:
            raise BadRequest("A record cannot be created under an identifier. POST it to the table.", reason="bad_path")
        return await _create(call)
    if verb in ("PUT", "PATCH"):
        return await (_change(call) if ident is None else _change_one(call, verb, ident))
    if verb == "DELETE":
        return await (_delete(call) if ident is None else _delete_one(call, ident))
    raise MethodNotAllowed(f"{verb} is not served here.", headers={"Allow": "GET, POST, PUT, PATCH, DELETE"})


def _records(call: TableRequest) -> list[dict[str, Any]]:
    if records := request_body.records(call.body, call.dataset.bounds.records):
        return records
    raise BadRequest('No records: send {"resource": [ {...} ]}.', reason="no_records")


def _checked_options(call: TableRequest) -> Options:
    """Options of a write, refused before anything is written."""
    options = call.options()
    if options.fields is not None or options.related:
        right = call.rights.right(call.table, "GET") or plan.right_of(call.table, call.rights, "POST")
        asked = plan.ReadRequest(call.table, right, call.rights, options, None, call.dataset.bounds)
        asked.reader().columns(asked.scope(), options.fields, options.related)
    if options.id_field.strip():
        any_right = next(r for v in ("GET", "PATCH", "POST", "DELETE") if (r := call.rights.right(call.table, v)))
        plan.identifying(call.table, options.id_field, any_right)
    return options


def _wanted(call: TableRequest, options: Options, verb: str) -> list[Column]:
    right = plan.right_of(call.table, call.rights, verb)
    return plan.identifying(call.table, options.id_field, right)


# -- several records -------------------------------------------------------------------------------------------------


async def _each(
    call: TableRequest, options: Options, word: str, items: list[Any], one: Callable[[Writer, Any], Awaitable[Written]]
) -> Reply:
    """Do the same for each record: all or nothing, or with `continue` each for itself."""
    batch = Batch(word, options)
    simple = len(items) == 1 and not _is_nested(call, items[0], word)
    marks: list[str] = []
    async with call.dataset.db.writes.acquire() as connection:

        async def run(item: Any) -> Written:
            writer = Writer(call, options, connection)
            made = await _answered(writer, await one(writer, item), word)
            if simple and word == "created":
                prepared_write.remember(call, "POST", None, writer.statements, sealed=made.sealed)
            return made

        async def step(item: Any) -> None:
            outcome = await trying(run(item), alone=options.go_on)
            if isinstance(outcome, ApiError):
                batch.failed(outcome)
                raise BatchStopped
            marks.append(outcome.mark)
            batch.done(read.unsealed(call, outcome.sealed, outcome.body))

        try:
            if simple:
                await step(items[0])
            elif options.go_on:
                for item in items:
                    await _apart(connection, step, item)
            else:
                async with connection.transaction():
                    for item in items:
                        await step(item)
        except BatchStopped:
            pass
    made = listing(call, options, batch.answer(), _names(call, options))
    made.headers |= etag.headers(marks[0]) if len(marks) == 1 else {}
    return made


async def _apart(connection: Any, step: Callable[[Any], Awaitable[None]], item: Any) -> None:
    try:
        async with connection.transaction():
            await step(item)
    except BatchStopped:
        pass


def _names(call: TableRequest, options: Options) -> list[str]:
    return names(options.fields) if options.fields and options.fields.strip() != "*" else []


def _is_nested(call: TableRequest, item: Any, word: str) -> bool:
    """Whether a record needs more than one statement: nested records, related answers, a check that may undo it."""
    record = item[1] if isinstance(item, tuple) else item
    if "related" in call.query or (isinstance(call.body, dict) and "related" in call.body):
        return True
    columns = {name: call.table.find(name) for name in record} if isinstance(record, dict) else {}
    if any(column is None and call.table.relation(name) for name, column in columns.items()):
        return True
    found = [column.name for column in columns.values() if column is not None]
    upsert = boolean("upsert", call.query.get("upsert", ""))
    key = ("undone", call.actor.role, call.table.name, word, upsert, tuple(found))
    kept = call.dataset.plan_cache.get(key)
    if kept is None:
        kept = _may_be_undone(call, word, found, upsert=upsert)
        call.dataset.keep(key, kept)
    return bool(kept)


def _may_be_undone(call: TableRequest, word: str, names: list[str], *, upsert: bool) -> bool:
    """Whether a rule of rows may refuse these fields when they are written already."""
    if word == "deleted":
        return False
    rights = {verb: call.rights.right(call.table, verb) or EVERYTHING for verb in ("POST", "PATCH")}
    if upsert:
        return any(right.rows is not None for right in rights.values())
    verb = "POST" if word == "created" else "PATCH"
    return dml.may_refuse(rights[verb], call.table, verb, names)


async def _answered(writer: Writer, made: Written, word: str) -> Written:
    if not writer.options.related.strip() or word == "deleted":
        return made
    table = writer.call.table
    wanted = [table.columns[n] for n in table.key]
    found = await writer.again(table, wanted, [made.keys[n] for n in table.key]) if wanted else None
    if found is not None:
        found.mark = made.mark
    return found or made


async def _create(call: TableRequest) -> Reply:
    records = _records(call)
    options = _checked_options(call)
    return await _each(call, options, "created", records, lambda w, record: w.create(call.table, record))


async def _change(call: TableRequest) -> Reply:
    records = _records(call)
    options = _checked_options(call)
    if options.ids is not None:
        _only_one(records)
        items = [(ident, records[0]) for ident in _bounded(call, options.ids)]
    elif text := call.filter_text():
        return await _by_filter(call, options, _only_one(records), text)
    else:
        items = [(record, record) for record in records]
    return await _each(call, options, "updated", items, lambda w, item: _changed(w, *item))


def _bounded(call: TableRequest, ids: list[Any]) -> list[Any]:
    request_body.records([{"id": 0}] * len(ids) or None, call.dataset.bounds.records)
    if not ids:
        raise BadRequest("Option 'ids' is empty.", reason="bad_option", context={"option": "ids"})
    return ids


def _only_one(records: list[dict[str, Any]]) -> dict[str, Any]:
    if len(records) > 1:
        raise BadRequest("With ids or filter send one record: the change for all of them.", reason="bad_records")
    return records[0]


async def _changed(writer: Writer, ident: Any, record: dict[str, Any]) -> Written:
    wanted = _wanted(writer.call, writer.options, "PATCH")
    return await writer.change(writer.call.table, wanted, plan.identifier(ident, wanted), record)


async def _deleted(writer: Writer, ident: Any) -> Written:
    wanted = _wanted(writer.call, writer.options, "DELETE")
    ident = tenant_guard.checked(writer.call, "DELETE", ident) if isinstance(ident, dict) else ident
    return await writer.delete(writer.call.table, wanted, plan.identifier(ident, wanted))


async def _delete(call: TableRequest) -> Reply:
    options = _checked_options(call)
    records = request_body.records(call.body, call.dataset.bounds.records) if call.body is not None else None
    if options.ids is not None:
        return await _each(call, options, "deleted", _bounded(call, options.ids), _deleted)
    if records:
        return await _each(call, options, "deleted", records, _deleted)
    if text := call.filter_text():
        return await _by_filter(call, options, None, text)
    if not options.force:
        raise BadRequest("Say what to delete: ids, records, filter, or force=true for all.", reason="no_records")
    async with call.dataset.db.writes.acquire() as connection:
        await Writer(call, options, connection).everything()
    return Reply(b'{"success":true}')


async def _by_filter(call: TableRequest, options: Options, record: dict[str, Any] | None, text: str) -> Reply:
    """All records of a filter, all or nothing."""
    related = bool(options.related.strip())
    async with call.dataset.db.writes.acquire() as connection, connection.transaction():
        writer = Writer(call, options, connection)
        before = await _related(call, options, connection, None, text) if related and record is None else None
        body, keys = await writer.by_filter(record, text)
        if related and record is not None:
            before = await _related(call, options, connection, keys, "")
    return listing(call, options, read.unsealed(call, True, before or body), _names(call, options))


async def _related(
    call: TableRequest, options: Options, connection: Any, keys: list[list[Any]] | None, text: str
) -> bytes:
    """The records of a write by filter with their relations, read on the same connection."""
    table = call.table
    wanted = [table.columns[n] for n in table.key]
    if not wanted:
        raise BadRequest(f"Table '{table.name}' has no key; leave out 'related'.", reason="no_key")
    right = plan.right_of(table, call.rights, "GET")
    if keys is None:
        found, literals = cache.parse(text, call.dataset.bounds.filter)
        wanted_keys = Options(fields="", params=options.params)
        listed = plan.list_plan(plan.ReadRequest(table, right, call.rights, wanted_keys, found, call.dataset.bounds))
        row = await connection.fetchrow(
            listed.sql, *listed.args(plan.Bindings(call.actor, literals, options.params, []))
        )
        keys = [plan.identifier(one, wanted) for one in exact_json.loads(row["body"] or b"[]")]
    if not keys:
        return b"[]"
    if options.fields is None:
        options.fields = ""
    made = plan.keyed_plan(
        plan.ReadRequest(table, right, call.rights, options, None, call.dataset.bounds), wanted, len(keys)
    )
    values = plan.Bindings(call.actor, [], options.params, keys)
    await answer_size.check(call.dataset.bounds, connection.fetchrow, made, values)
    rows = await connection.fetch(made.sql, *made.args(values))
    return b"[" + b",".join(row["body"] for row in rows) + b"]"


# -- one record ------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def _writing(call: TableRequest, options: Options, *, several: bool) -> Any:
    async with call.dataset.db.writes.acquire() as connection:
        writer = Writer(call, options, connection)
        if several:
            async with connection.transaction():
                yield writer
        else:
            yield writer


async def _change_one(call: TableRequest, verb: str, ident: str) -> Reply:
    """The body is the record itself."""
    record = body = call.body
    if isinstance(record, dict) and "resource" in record and call.table.find("resource") is None:
        record = (request_body.records(record, 1) or [{}])[0]
    if not isinstance(record, dict) or not record:
        raise BadRequest("Send the record itself: an object with the fields to change.", reason="no_records")
    call.body = None  # its fields are no options
    options = _checked_options(call)
    async with _writing(call, options, several=(several := _is_nested(call, record, "updated"))) as writer:
        made = await _answered(writer, await _changed(writer, ident, record), "updated")
    call.body = body
    if not several:
        prepared_write.remember(call, verb, ident, writer.statements, sealed=made.sealed)
    return _single(call, made)


async def _delete_one(call: TableRequest, ident: str) -> Reply:
    call.body = None
    options = _checked_options(call)
    async with _writing(call, options, several=bool(options.related)) as writer:
        made = await _deleted(writer, ident)
    made.mark = ""
    return _single(call, made)


def _single(call: TableRequest, made: Written) -> Reply:
    return Reply(read.unsealed(call, made.sealed, made.body), headers=etag.headers(made.mark))
