"""Read written records again, with relations and computed fields, in the same transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tableapi import exact_json
from tableapi.datasets import answer_size
from tableapi.errors import BadRequest
from tableapi.query import plan
from tableapi.query.filter import cache
from tableapi.query.options import Options
from tableapi.query.plan import Bindings, ReadRequest
from tableapi.schema.model import Column, Table
from tableapi.tables.read import TableRequest
from tableapi.tables.responses.record import Record

if TYPE_CHECKING:
    from tableapi.tables.write import Writer


async def of_record(writer: Writer, table: Table, key: list[Column], ident: list[Any]) -> Record | None:
    """Return the record as the response shows it, or None when the caller may not read it."""
    right = writer.call.rights.right(table, "GET") or writer.right(table, "POST")
    sent = writer.call.options() if writer.call.body is None or isinstance(writer.call.body, dict) else writer.options
    options = writer.options
    if options.fields is None:
        options.fields = options.id_field or ""
    request = ReadRequest(table, right, writer.call.rights, options, None, writer.call.dataset.bounds)
    keyed = plan.keyed_plan(request, key, 1)
    values = Bindings(writer.call.actor, [], sent.params, [ident], limits=request.bounds.filter)
    await answer_size.check(writer.call.dataset.bounds, writer.connection.fetchrow, keyed, values)
    row = await writer.connection.fetchrow(keyed.sql, *keyed.args(values))
    return Record(row["body"], row["mark"], {}, keyed.sealed) if row is not None else None


async def of_filter(
    call: TableRequest, options: Options, connection: Any, keys: list[list[Any]] | None, text: str
) -> bytes:
    """Return the records of a write by filter with their relations, read on the same connection."""
    table = call.table
    key = [table.columns[n] for n in table.key]
    if not key:
        raise BadRequest(f"Table '{table.name}' has no key; leave out 'related'.", reason="no_primary_key")
    right = plan.right_of(table, call.rights, "GET")
    if keys is None:
        parsed, literals = cache.parse(text, call.dataset.bounds.filter)
        key_options = Options(fields="", params=options.params)
        page = plan.list_plan(plan.ReadRequest(table, right, call.rights, key_options, parsed, call.dataset.bounds))
        values = plan.Bindings(call.actor, literals, options.params, [], limits=call.dataset.bounds.filter)
        row = await connection.fetchrow(page.sql, *page.args(values))
        keys = [plan.identifier(record, key) for record in exact_json.loads(row["body"] or b"[]")]
    if not keys:
        return b"[]"
    if options.fields is None:
        options.fields = ""
    keyed = plan.keyed_plan(
        plan.ReadRequest(table, right, call.rights, options, None, call.dataset.bounds), key, len(keys)
    )
    values = plan.Bindings(call.actor, [], options.params, keys, limits=call.dataset.bounds.filter)
    await answer_size.check(call.dataset.bounds, connection.fetchrow, keyed, values)
    rows = await connection.fetch(keyed.sql, *keyed.args(values))
    return b"[" + b",".join(row["body"] for row in rows) + b"]"
