"""The table verbs: find the records to read or write, and build the response."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from tableapi.errors import ApiError
from tableapi.http import etag
from tableapi.http.response import Response
from tableapi.query.names import names
from tableapi.query.options import Options
from tableapi.tables import errors, read, targets
from tableapi.tables.batch import Batch, BatchStopped, trying
from tableapi.tables.render import listed, listing
from tableapi.tables.request import DEFAULTS, TableRequest
from tableapi.tables.run import Record
from tableapi.tables.targets import Item, Targets
from tableapi.tables.write import Writer

_DONE = {"POST": "created", "PUT": "updated", "PATCH": "updated", "DELETE": "deleted"}


async def handle(call: TableRequest) -> Response:
    """Handle a request for a table or a record. Raises ApiError."""
    if call.verb == "GET":
        return await read.read(call)
    record = targets.plain_record(call)
    if record is not None and (response := await by_known_plan(call, record)) is not None:
        return response
    if call.rights.right(call.table, call.verb) is None:
        raise errors.no_right(call)
    return await write(call, targets.parse(call))


async def by_known_plan(call: TableRequest, record: dict[str, Any]) -> Response | None:
    """Handle a write without options, reusing the plan of an earlier one with the same fields.

    As for reads, the plan is looked up before anything is parsed. None if there is no such plan, or if it wrote no row.
    """
    writer = Writer(call, DEFAULTS)
    plan = writer.known_plan("POST" if call.verb == "POST" else "PATCH", record)
    if plan is None or plan.transaction:
        return None
    outcome: Record | ApiError | None
    if call.ident is not None:
        outcome = await writer.run_known(plan, call.ident, record)
    else:
        outcome = await trying(writer.run_known(plan, record, record))
    if isinstance(outcome, ApiError):
        batch = Batch(_DONE[call.verb], DEFAULTS, single=True)
        batch.failed(outcome)
        batch.body()
    if not isinstance(outcome, Record):
        return None
    if outcome.sealed:
        outcome.body = await read.unsealed(call, outcome.sealed, outcome.body)
    response = Response(outcome.body, headers=etag.headers(outcome.mark))
    if call.ident is None:
        response.body = listed(b"[" + response.body + b"]")
    return response


async def write(call: TableRequest, target: Targets) -> Response:
    """Write the targeted records, and return the response. Raises ApiError."""
    given = target.options
    if given.fields is not None or given.related or given.id_field:
        target.options = await targets.checked(call, given)
    if target.single:
        return await _one(call, target)
    if target.items:
        return await _list(call, target)
    async with Writer(call, target.options) as writer:
        if target.everything:
            await writer.delete_all()
            return Response(b'{"success":true}')
        body = await writer.write_matching(target.filter, target.change)
    body = await read.unsealed(call, True, body)
    return await listing(call, target.options, body, _names(target.options))


async def _one(call: TableRequest, target: Targets) -> Response:
    """Write the record named by the path."""
    async with Writer(call, target.options) as writer:
        written = await writer.write(target.verb, target.items[0])
    written.mark = written.mark if target.verb != "DELETE" else ""
    if written.ignored:  # upsert=ignore: the record exists
        return Response(b"{}")
    if written.sealed:
        written.body = await read.unsealed(call, written.sealed, written.body)
    return Response(written.body, headers=etag.headers(written.mark))


async def _list(call: TableRequest, target: Targets) -> Response:
    """Write each record: all or none, or with `continue` each in its own transaction."""
    options = target.options
    batch = Batch(_DONE[target.verb], options, single=len(target.items) == 1)
    if options.max_affected is not None:
        errors.check_affected(options.max_affected, len(target.items))
    marks = []
    async with Writer(call, options) as writer:
        together: dict[int, Record] = {}
        if several := len(target.items) > 1:
            await writer.hold(transaction=not options.go_on)
            together = await writer.change_together(target.items) if target.verb == "PATCH" else {}
        for place, item in enumerate(target.items):
            outcome: Record | ApiError
            if place in together:
                outcome = together[place]
            elif options.go_on:
                outcome = await _alone(writer, target.verb, item, several=several)
            else:
                outcome = await trying(writer.write(target.verb, item))
            if isinstance(outcome, ApiError):
                batch.failed(outcome)
                if not options.go_on:
                    break
            elif not outcome.ignored:
                marks.append(outcome.mark)
                batch.done(await read.unsealed(call, outcome.sealed, outcome.body) if outcome.sealed else outcome.body)
        if batch.errors and not (options.go_on and several):
            batch.body()  # raises, which rolls the transaction back
    response = await listing(call, options, batch.body(), _names(options) if options.fields else ())
    if len(marks) == 1:
        response.headers |= etag.headers(marks[0])
    return response


async def _alone(writer: Writer, verb: str, item: Item, *, several: bool) -> Record | ApiError:
    """Write one record of a list independently of the others, and return it or its error."""
    if not several:
        return await trying(writer.write_apart(verb, item), alone=True)
    with suppress(BatchStopped):
        async with writer.apart():
            outcome = await trying(writer.write_apart(verb, item), alone=True)
            if isinstance(outcome, ApiError):
                raise BatchStopped
    return outcome


def _names(options: Options) -> list[str]:
    """Return the names in option `fields`, for the header line of a file."""
    return names(options.fields) if options.fields and options.fields.strip() != "*" else []
