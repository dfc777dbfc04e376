"""Read the rows of a function like those of a table, with the same options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from tableapi import exact_json
from tableapi.auth.policy import Actor
from tableapi.auth.rights import Right, Rights
from tableapi.datasets.dataset import Dataset
from tableapi.query import aggregate, select
from tableapi.query.columns import Reader, filtering, narrowing
from tableapi.query.expressions.scope import Scope
from tableapi.query.filter import cache
from tableapi.query.options import Options, options
from tableapi.query.statement import Binder, Bindings, arguments, bound
from tableapi.schema.model import Column, Routine, Table
from tableapi.schema.sqltypes import own_type

OPTIONS = (
    "fields", "select", "filter", "where", "order", "sort", "order_by", "group", "group_by", "having", "limit", "top",
    "offset", "skip", "related", "include_count",
)  # fmt: skip


def options_of(routine: Routine, query: Mapping[str, str], body: Any) -> Options | None:
    """Return the read options of a call, or None if there are none. Parameter names are not options."""
    if routine.kind != "f" or not (routine.many and (table := table_of(routine))):
        return None
    parameters = {argument.name.lower() for argument in routine.sent}
    sent = {name: value for name, value in query.items() if name.lower() not in parameters and name != "params"}
    if isinstance(body, dict):
        sent |= {name: body[name] for name in OPTIONS if name in body and name not in parameters}
    used = [name for name in sent if name in OPTIONS or "." in name]
    return options({name: sent[name] for name in used}, None, table.relation) if used else None


def table_of(routine: Routine) -> Table | None:
    """Describe the rows of a function as a table without a key; None if their columns are unknown."""
    if (rows := routine.rows_of) is not None:
        return replace(rows, kind="f", key=(), uniques=[])
    if not routine.outputs:
        return None
    clause = sa.table(routine.bare)
    table = Table(routine.schema, routine.bare, routine.name, "f", clause, {})
    for name, type_ in routine.outputs:
        table.columns[name] = Column(name, type_, True, None, "", False)
        table._lower.setdefault(name.lower(), name)
        clause.append_column(sa.column(name, own_type(type_)))
    return table


async def read(
    dataset: Dataset, actor: Actor, rights: Rights, routine: Routine, call: Any, binder: Binder, parsed: Options,
    values: Mapping[int, Any], connection: Any,
) -> Any:  # fmt: skip
    """Return the rows of a function as requested by the options; with a count, in the envelope of a list.

    call: the function with its bound parameters. If it returns rows of a table, the row rules and hidden fields of that
    table apply.

    Raises:
        ApiError: an option names something that the rows do not have.
    """
    table = table_of(routine)
    assert table is not None
    right = (rights.right(routine.rows_of, "GET") if routine.rows_of is not None else None) or Right()
    limit = min(parsed.limit, dataset.limits.rows) if parsed.limit and parsed.limit > 0 else dataset.limits.rows
    tree, literals = cache.parse(parsed.filter, dataset.limits.filter) if parsed.filter.strip() else (None, [])
    rows = call.table_valued(*_columns(table), name=binder.name("t"))
    binder.params, binder.narrow = parsed.params, narrowing(parsed, dataset.limits.filter)
    binder.condition = filtering(dataset.limits.filter)
    scope, node = Scope(table, rows, right, rights, binder), tree.tree if tree is not None else None
    if aggregate.is_grouped(parsed):
        statement = select.grouping(scope, parsed, node, limit, dataset.limits.filter, probe=False)
    else:
        reader = Reader(parsed, dataset.limits.rows, dataset.limits.filter)
        most = dataset.limits.answer_rows
        statement = select.listing(scope, reader, node, limit, probe=False, max_rows=most)
    bindings = Bindings(actor, literals, parsed.params, [], max(parsed.offset, 0), limits=dataset.limits.filter)
    bindings.record = {str(place): value for place, value in values.items()}
    row = await connection.fetchrow(statement.sql, *arguments(bound(statement), bindings))
    records = exact_json.loads(row["body"] or b"[]")
    return {"resource": records, "meta": {"count": row["count"]}} if parsed.include_count else records


def _columns(table: Table) -> Iterable[Any]:
    return (sa.column(column.name, column.type) for column in table.clause.c)
