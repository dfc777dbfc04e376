"""The table endpoints: the meaning of each verb, in terms of `read` and `write`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import asyncpg

from tableapi import exact_json, threads
from tableapi.db.errors import to_api_error
from tableapi.errors import ApiError, BadRequest, MethodNotAllowed, Stale
from tableapi.http import etag
from tableapi.http.body import records as body_records
from tableapi.http.response import Reply
from tableapi.query import plan
from tableapi.query.names import names
from tableapi.query.options import Options
from tableapi.query.spelling import spelled
from tableapi.schema.model import Column
from tableapi.tables import prepared_write, read, refusals, tenant_guard
from tableapi.tables.batch import Batch, BatchStopped, trying
from tableapi.tables.bulk import changes
from tableapi.tables.read import TableRequest
from tableapi.tables.render import listing
from tableapi.tables.responses import again
from tableapi.tables.write import Record, Writer


async def handle(call: TableRequest, verb: str, ident: str | None) -> Reply:
    """Answer a request for a table or a record. Raises ApiError."""
    if verb == "GET":
        return await read.read(call, ident)
    if (response := await prepared_write.write(call, verb, ident)) is not None:
        return response
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
    """Return the records of the body."""
    if rows := body_records(call.body, call.dataset.bounds.records):
        return rows
    raise BadRequest('No records: send {"resource": [ {...} ]}.', reason="no_records")


def _checked_options(call: TableRequest) -> Options:
    """Return the options of a write; invalid ones are refused before anything is written."""
    options = call.options()
    if options.fields is not None or options.related:
        right = call.rights.right(call.table, "GET") or plan.right_of(call.table, call.rights, "POST")
        request = plan.ReadRequest(call.table, right, call.rights, options, None, call.dataset.bounds)
        request.reader().columns(request.scope(), options.fields, options.related)
    if options.id_field.strip():
        any_right = next(r for v in ("GET", "PATCH", "POST", "DELETE") if (r := call.rights.right(call.table, v)))
        plan.identifying(call.table, options.id_field, any_right)
    return options


def _identifying(call: TableRequest, options: Options, verb: str) -> list[Column]:
    """Return the fields that identify a record."""
    right = plan.right_of(call.table, call.rights, verb)
    return plan.identifying(call.table, options.id_field, right)


# -- several records -------------------------------------------------------------------------------------------------


async def _each(
    call: TableRequest,
    options: Options,
    word: str,
    items: list[Any],
    write_one: Callable[[Writer, Any], Awaitable[Record]],
    write_together: Callable[[Writer, list[Any]], Awaitable[dict[int, Record]]] | None = None,
) -> Reply:
    """Write each record: all or none, or with `continue` each in its own transaction.

    write_together: writes several records at once, and returns those by their place in `items`.
    """
    batch = Batch(word, options)
    refusals.too_many(options.max_affected, len(items))
    single = len(items) == 1 and not prepared_write.needs_transaction(call, items[0], word)
    marks: list[str] = []
    written: dict[int, Record] = {}
    async with call.dataset.db.writes.acquire() as connection:

        async def run(item: Any) -> Record:
            writer = Writer(call, options, connection)
            written = await _answered(writer, await write_one(writer, item), word)
            if single and word == "created":
                prepared_write.remember(call, "POST", None, writer.statements, sealed=written.sealed)
            return written

        async def checked(item: Any) -> Record:
            record = await run(item)
            await connection.execute("set constraints all immediate")
            return record

        # With `continue` a deferred constraint refuses its own record, not the request.
        attempt = checked if options.go_on and not single else run

        async def step(place: int, item: Any) -> None:
            known = written.get(place)
            outcome = known if known is not None else await trying(attempt(item), alone=options.go_on)
            if isinstance(outcome, ApiError):
                batch.failed(outcome)
                raise BatchStopped
            if outcome.ignored:
                return
            marks.append(outcome.mark)
            batch.done(await read.unsealed(call, outcome.sealed, outcome.body))

        async def in_transaction(place: int, item: Any) -> None:
            with suppress(BatchStopped):
                async with connection.transaction():
                    await step(place, item)

        try:
            if single:
                await step(0, items[0])
            elif options.go_on:
                written |= await write_together(Writer(call, options, connection), items) if write_together else {}
                for place, item in enumerate(items):
                    await (step if place in written else in_transaction)(place, item)
            else:
                async with connection.transaction():
                    written |= await write_together(Writer(call, options, connection), items) if write_together else {}
                    for place, item in enumerate(items):
                        await step(place, item)
        except BatchStopped:
            pass
    response = await listing(call, options, batch.answer(), _names(call, options))
    response.headers |= etag.headers(marks[0]) if len(marks) == 1 else {}
    return response


def _names(call: TableRequest, options: Options) -> list[str]:
    """Return the names of option `fields`, for the header line of a file."""
    return names(options.fields) if options.fields and options.fields.strip() != "*" else []


async def _answered(writer: Writer, written: Record, word: str) -> Record:
    """Return the record with the relations that the request asks for."""
    table = writer.call.table
    if not writer.options.beyond_row or word == "deleted" or written.ignored:
        return written
    if not set(table.key) <= written.keys.keys():  # nothing of the row is returned
        return written
    key = [table.columns[n] for n in table.key]
    record = await again.of_record(writer, table, key, [written.keys[n] for n in table.key]) if key else None
    if record is not None:
        record.mark = written.mark
    return record or written


async def _create(call: TableRequest) -> Reply:
    records = _records(call)
    options = _checked_options(call)
    if options.upsert:
        refusals.versioned(call)
    return await _each(call, options, "created", records, lambda w, record: w.create(call.table, record))


async def _change(call: TableRequest) -> Reply:
    records = _records(call)
    options = _checked_options(call)
    if options.ids is not None:
        refusals.only_one(records)
        items = [(ident, records[0]) for ident in refusals.bounded(call, options.ids)]
    elif text := call.filter_text():
        return await _by_filter(call, options, refusals.only_one(records), text)
    else:
        items = [(record, record) for record in records]
    return await _each(call, options, "updated", items, lambda w, item: _changed(w, *item), changes.together)


async def _changed(writer: Writer, ident: Any, record: dict[str, Any]) -> Record:
    key = _identifying(writer.call, writer.options, "PATCH")
    return await writer.change(writer.call.table, key, plan.identifier(ident, key), record)


async def _put(writer: Writer, ident: Any, record: dict[str, Any]) -> Record:
    """Change the record of a path, or create it under its identifier."""
    key = _identifying(writer.call, writer.options, "PATCH")
    plan.right_of(writer.call.table, writer.call.rights, "POST")
    only_new = writer.call.headers.get("if-none-match", "").strip() == "*"
    if only_new:
        writer.options.upsert = False
    parts = plan.identifier(ident, key)
    names = {column.name: part for column, part in zip(key, parts, strict=True)}
    named = {name: value for name, value in spelled(writer.call.table, record).items() if name not in names}
    try:
        return await writer.create(writer.call.table, named | names)
    except (ApiError, asyncpg.PostgresError) as error:
        refused = to_api_error(error)
        if only_new and refused is not None and refused.reason == "duplicate":
            raise Stale("The record exists already.") from None
        raise


async def _deleted(writer: Writer, ident: Any) -> Record:
    key = _identifying(writer.call, writer.options, "DELETE")
    ident = tenant_guard.checked(writer.call, "DELETE", ident) if isinstance(ident, dict) else ident
    return await writer.delete(writer.call.table, key, plan.identifier(ident, key))


async def _delete(call: TableRequest) -> Reply:
    options = _checked_options(call)
    records = body_records(call.body, call.dataset.bounds.records) if call.body is not None else None
    if options.ids is not None:
        return await _each(call, options, "deleted", refusals.bounded(call, options.ids), _deleted)
    if records:
        return await _each(call, options, "deleted", records, _deleted)
    if text := call.filter_text():
        return await _by_filter(call, options, None, text)
    refusals.empty_list(call.body)
    if not options.force:
        raise BadRequest(
            "Send ids, records or a filter of what to delete, or force=true to delete all records.", reason="no_records"
        )
    if options.max_affected is not None:
        raise BadRequest("Send a filter with max_affected, not force.", reason="bad_option")
    refusals.versioned(call)
    async with call.dataset.db.writes.acquire() as connection:
        await Writer(call, options, connection).everything()
    return Reply(b'{"success":true}')


async def _by_filter(call: TableRequest, options: Options, record: dict[str, Any] | None, text: str) -> Reply:
    """Change or delete all records of a filter, all or none."""
    refusals.versioned(call)
    related = options.beyond_row
    async with call.dataset.db.writes.acquire() as connection, connection.transaction():
        writer = Writer(call, options, connection)
        before = await again.of_filter(call, options, connection, None, text) if related and record is None else None
        body, keys = await writer.by_filter(record, text)
        if options.max_affected is not None:
            refusals.too_many(options.max_affected, len(await threads.body(len(body), exact_json.loads, body)))
        if related and record is not None:
            before = await again.of_filter(call, options, connection, keys, "")
    shown = await read.unsealed(call, True, before or body)
    return await listing(call, options, shown, _names(call, options))


# -- one record ------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def _writing(call: TableRequest, options: Options, *, several: bool) -> Any:
    """Open a writer, in a transaction when it needs several statements."""
    async with call.dataset.db.writes.acquire() as connection:
        writer = Writer(call, options, connection)
        if several:
            async with connection.transaction():
                yield writer
        else:
            yield writer


async def _change_one(call: TableRequest, verb: str, ident: str) -> Reply:
    """Answer a PUT or PATCH of one record by its path. The body is the record itself."""
    record = body = call.body
    if isinstance(record, dict) and "resource" in record and call.table.find("resource") is None:
        record = (body_records(record, 1) or [{}])[0]
    if not isinstance(record, dict) or not (record or (verb == "PUT" and call.options().upsert)):
        raise BadRequest("Send the record itself: an object with the fields to change.", reason="no_records")
    call.body = None  # its fields are not options
    options = _checked_options(call)
    refusals.too_many(options.max_affected, 1)
    async with _writing(
        call, options, several=(several := prepared_write.needs_transaction(call, record, "updated"))
    ) as writer:
        put = verb == "PUT" and options.upsert and "if-match" not in call.headers  # which names a record that exists
        change = _put(writer, ident, record) if put else _changed(writer, ident, record)
        written = await _answered(writer, await change, "updated")
    call.body = body
    if not several:
        prepared_write.remember(call, verb, ident, writer.statements, sealed=written.sealed)
    return await _single(call, written)


async def _delete_one(call: TableRequest, ident: str) -> Reply:
    call.body = None
    options = _checked_options(call)
    refusals.too_many(options.max_affected, 1)
    async with _writing(call, options, several=options.beyond_row) as writer:
        written = await _deleted(writer, ident)
    written.mark = ""
    return await _single(call, written)


async def _single(call: TableRequest, written: Record) -> Reply:
    """Return the response of one record."""
    body = await read.unsealed(call, written.sealed, written.body)
    return Reply(body, headers=etag.headers(written.mark))
