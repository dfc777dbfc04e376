"""Run a write: once for an idempotency key, again after DDL, and then tell the listeners of it."""

from __future__ import annotations

from functools import partial

from tableapi.app.state import AppState
from tableapi.app.tables import retry
from tableapi.app.tables.stages import Attempt
from tableapi.http.response import Response
from tableapi.project.writes import tell
from tableapi.tables.batch import BatchError
from tableapi.tables.request import TableRequest


async def run(state: AppState, attempt: Attempt, call: TableRequest, name: str) -> Response:
    """Run a write, once for an idempotency key.

    Return its response once this worker and the program's listener know what it changed.

    name: the table name in the URL. A batch tells of the writes of its steps itself.
    """
    on_write, batch = state.served.on_write, call.batch
    if on_write is not None:
        call.written = batch.records if batch is not None else []
    call.tables = tables = batch.tables if batch is not None else set()
    repairable = retry.ALL_ERRORS
    key = call.headers.get("idempotency-key")
    if key is not None and not call.options().dry_run:
        attempt_again = partial(retry.run, attempt, call, name)
        attempt = partial(state.idempotency.once, key, call, attempt_again)
        # The claim on the key is rolled back with the transaction that a database error ends.
        repairable = retry.DATABASE_ERRORS
    db, schema = state.session_db, call.dataset.schema
    before = db.watched_writes
    try:
        try:
            response = await attempt()
        except repairable as error:
            response = await retry.again(error, schema, attempt, call, name, repairable)
        if batch is not None:  # it tells when it is committed
            return response
    except BatchError as error:
        if error.kept and batch is None:
            await tell(on_write, call.dataset.name, call.actor, call.written)
        raise
    finally:
        # `tables` is empty if a hook has run.
        names = map(str.lower, (call.table.name, *tables))
        if batch is None and (db.watched_writes != before or not db.watched.isdisjoint(names)):
            await state.catch_up()
    if call.written:
        await tell(on_write, call.dataset.name, call.actor, call.written)
    return response
