"""Read the rows for a file export by a hook: a list, or the records of `ids`."""

from __future__ import annotations

from typing import Any

from tableapi.errors import BadRequest, TooLarge
from tableapi.http.response import Reply
from tableapi.query import plan
from tableapi.tables import verbs
from tableapi.tables.read import unsealed
from tableapi.tables.render import listing
from tableapi.tables.request import TableRequest

CHUNK = 100  # identifiers per statement


async def read(call: TableRequest, ident: str | None, most: int) -> Reply:
    """Return the file as a response, with up to `most` rows. Raises TooLarge if `ids` has more."""
    idents = None if ident is not None else call.options().ids
    if idents is None:
        return await verbs.handle(call, "GET", ident)
    if not idents:
        raise BadRequest("Option 'ids' is empty.", reason="bad_option", context={"option": "ids"})
    if len(idents) > most:
        raise TooLarge(f"A file may contain at most {most} rows. Select fewer.", reason="batch_too_large")
    return await _by_ids(call, idents)


async def _by_ids(call: TableRequest, idents: list[Any]) -> Reply:
    """Return the records in the order of `idents`, without duplicates or unreadable records."""
    options = call.options()
    request = plan.ReadRequest(
        call.table,
        plan.right_of(call.table, call.rights, "GET"),
        call.rights,
        options,
        None,
        call.bounds(),
        account=call.recorded_by,
    )
    columns = plan.identifying(call.table, options.id_field, request.right)
    keys = list({str(key): key for key in (plan.identifier(ident, columns) for ident in idents)}.values())
    for key in keys:
        for column, part in zip(columns, key, strict=True):
            plan.checked(column, part)
    read = plan.keyed_plan(request, columns, CHUNK)
    bodies: list[bytes] = []
    async with call.dataset.db.reads.acquire() as connection:
        for start in range(0, len(keys), CHUNK):
            chunk = keys[start : start + CHUNK]
            values = plan.Bindings(call.actor, [], options.params, chunk, limits=request.bounds.filter)
            bodies += [row["body"] for row in await connection.fetch(read.sql, *read.args(values))]
    body = await unsealed(call, read.sealed, b"[" + b",".join(bodies) + b"]")
    return await listing(call, options, body, read.names)
