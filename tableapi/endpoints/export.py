"""The rows of a file that a hook allowed: a list as asked for, or the records of `ids`."""

from __future__ import annotations

from typing import Any

from tableapi.errors import BadRequest, TooLarge
from tableapi.http.response import Reply
from tableapi.query import plan
from tableapi.tables import endpoints
from tableapi.tables.read import TableRequest, unsealed
from tableapi.tables.render import listing

PORTION = 100  # identifiers in one statement


async def read(call: TableRequest, ident: str | None, most: int) -> Reply:
    """Read for a file of at most `most` rows."""
    idents = None if ident is not None else call.options().ids
    if idents is None:
        return await endpoints.handle(call, "GET", ident)
    if not idents:
        raise BadRequest("Option 'ids' is empty.", reason="bad_option", context={"option": "ids"})
    if len(idents) > most:
        raise TooLarge(f"A file holds at most {most} rows. Choose fewer.", reason="batch_too_large")
    return await _chosen(call, idents)


async def _chosen(call: TableRequest, idents: list[Any]) -> Reply:
    """The records in the order of `idents`, each once. A record that is not there for the caller is left out."""
    options = call.options()
    asked = plan.ReadRequest(
        call.table, plan.right_of(call.table, call.rights, "GET"), call.rights, options, None, call.bounds()
    )
    wanted = plan.identifying(call.table, options.id_field, asked.right)
    keys = list({str(key): key for key in (plan.identifier(ident, wanted) for ident in idents)}.values())
    for key in keys:
        for column, part in zip(wanted, key, strict=True):
            plan.checked(column, part)
    # One statement for every portion: the last one is filled up with a key that it holds already.
    made = plan.keyed_plan(asked, wanted, PORTION)
    bodies: list[bytes] = []
    async with call.dataset.db.reads.acquire() as connection:
        for start in range(0, len(keys), PORTION):
            portion = keys[start : start + PORTION]
            values = plan.Bindings(call.actor, [], options.params, portion + portion[-1:] * (PORTION - len(portion)))
            rows = await connection.fetch(made.sql, *made.args(values))
            bodies += [row["body"] for row in rows if row["place"] < len(portion)]
    body = unsealed(call, made.sealed, b"[" + b",".join(bodies) + b"]")
    return listing(call, options, body, made.names)
