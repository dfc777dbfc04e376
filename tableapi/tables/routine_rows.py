"""Read the rows of a function like those of a table, with the same options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from tableapi import exact_json
from tableapi.auth.policy import Actor
from tableapi.auth.rights import Right, Rights
from tableapi.datasets.dataset import Dataset
from tableapi.datasets.plan_cache import options_key
from tableapi.errors import BadRequest
from tableapi.query import aggregate, plan, select
from tableapi.query.columns import Reader, filtering, narrowing
from tableapi.query.dml.plan import WritePlan
from tableapi.query.expressions.operands import Scope
from tableapi.query.filter import cache
from tableapi.query.filter.ast import Filter
from tableapi.query.options import Options, options
from tableapi.query.statement import Binder, Bindings, ParamSource, arguments, bound, finish
from tableapi.schema.model import Column, Routine, Table
from tableapi.schema.sqltypes import Native, own_type, shown
from tableapi.tables import overloads

OPTIONS = (
    "fields", "select", "filter", "where", "order", "sort", "order_by", "group", "group_by", "having", "limit", "top",
    "offset", "skip", "related", "include_count", "count_only", "numbers", "distinct",
)  # fmt: skip
# Options that select or change the rows of a list, but need a key or a session of their own.
UNSUPPORTED = ("cursor", "ids", "id_field", "as_list", "include_schema", "timezone", "raw")


def options_of(routine: Routine, query: Mapping[str, str], body: Any) -> Options | None:
    """Return the read options of a call, or None if there are none. Parameter names are not options.

    Raises:
        BadRequest: the rows of the routine do not support an option.
    """
    parameters = set(overloads.names(routine))
    sent = {name: value for name, value in query.items() if name.lower() not in parameters and name != "params"}
    if isinstance(body, dict):
        sent |= {name: body[name] for name in (*OPTIONS, *UNSUPPORTED) if name in body and name not in parameters}
    if name := next((name for name in sent if name in UNSUPPORTED), ""):
        raise _without_effect(name, "the rows of a routine")
    table = table_of(routine) if routine.kind == "f" else None
    if table is None:
        if name := next((name for name in sent if name in OPTIONS), ""):
            without = "rows of type record" if routine.columns_unknown else "a routine that returns no rows"
            raise _without_effect(name, without)
        return None
    used = [name for name in sent if name in OPTIONS or "." in name]
    if not used:
        return None
    parsed = options({name: sent[name] for name in used}, None, table.relation)
    parsed.estimated = False  # PostgreSQL cannot tell without a call
    return parsed


def _without_effect(option: str, subject: str) -> BadRequest:
    message = f"Option '{option}' has no effect on {subject}. Leave it out."
    return BadRequest(message, reason="bad_option", context={"option": option})


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


def returned(routine: Routine, table: Table, call: Any, binder: Binder) -> Any:
    """Return the rows of a call for FROM; a column of plain values gets the function's name."""
    columns = (sa.column(column.name, column.type) for column in table.clause.c)
    rows = call.table_valued(*columns, name=binder.name("t"))
    return rows.render_derived() if routine.rows_of is None and not routine.attributes else rows


async def read(
    dataset: Dataset, actor: Actor, rights: Rights, routine: Routine, key: Any, call: Callable[[Binder], Any],
    parsed: Options, values: Mapping[int, Any], connection: Any,
) -> Any:  # fmt: skip
    """Return the rows of a function as requested by the options, or only their number.

    key: of the call among the plans. call: builds the function with its bound parameters. With a count, the rows are in
    the envelope of a list. If they are rows of a table, its row rules and hidden fields apply.

    Raises:
        ApiError: an option names something that the rows do not have.
    """
    table = table_of(routine)
    assert table is not None
    tree, literals = cache.parse(parsed.filter, dataset.limits.filter) if parsed.filter.strip() else (None, [])
    limits = dataset.limits.filter
    texts = parsed.distinct, parsed.order, parsed.group, parsed.limit, parsed.offset > 0
    shape = (
        actor.role, key, tree.mark if tree is not None else None, texts, cache.mark(parsed.having, limits),
        options_key(parsed, limits), parsed.include_count, parsed.count_only,
    )  # fmt: skip
    statement: WritePlan = await dataset.plan_cache.plan(
        "routine", shape, table, parsed, _built, dataset, rights, routine, table, call, parsed, tree
    )
    bindings = Bindings(actor, literals, parsed.params, [], max(parsed.offset, 0), limits=limits)
    bindings.conditions = plan.conditions(parsed, limits)
    bindings.record = {str(place): value for place, value in values.items()}
    row = await connection.fetchrow(statement.sql, *arguments(statement.parameters, bindings))
    if parsed.count_only:
        return row["count"]
    records = exact_json.loads(row["body"] or b"[]")
    return {"resource": records, "meta": {"count": row["count"]}} if parsed.include_count else records


def _built(
    dataset: Dataset, rights: Rights, routine: Routine, table: Table, call: Callable[[Binder], Any], parsed: Options,
    tree: Filter | None,
) -> WritePlan:  # fmt: skip
    """Compile a read of the rows of a call."""
    binder = Binder()
    binder.binds = True
    right = (rights.right(routine.rows_of, "GET") if routine.rows_of is not None else None) or Right()
    limit = min(parsed.limit, dataset.limits.rows) if parsed.limit and parsed.limit > 0 else dataset.limits.rows
    # The statement may use the rows several times, and the function must run once.
    rows = sa.select(returned(routine, table, call(binder), binder)).cte(binder.name("f"))
    binder.params, binder.narrow = parsed.params, narrowing(parsed, dataset.limits.filter)
    binder.condition = filtering(dataset.limits.filter)
    scope, node = Scope(table, rows, right, rights, binder), tree.tree if tree is not None else None
    plan.check_combination(parsed)
    if parsed.count_only:
        statement = (
            select.group_count(scope, parsed, node, dataset.limits.filter)
            if aggregate.is_grouped(parsed)
            else select.counting(scope, node, parsed.distinct)
        )
    elif aggregate.is_grouped(parsed):
        statement = select.grouping(scope, parsed, node, limit, dataset.limits.filter, probe=False)
    else:
        reader = Reader(parsed, dataset.limits.rows, dataset.limits.filter)
        most = dataset.limits.answer_rows
        statement = select.listing(scope, reader, node, limit, probe=False, max_rows=most)
    return WritePlan(statement.sql, bound(statement))


# -- procedures --------------------------------------------------------------------------------------------------------

_TIMES = {"interval": "interval", "time without time zone": "time", "time with time zone": "timetz"}


async def read_times_as_text(connection: Any, routine: Routine) -> None:
    """Prepare a connection for outputs that Python's types cannot hold, such as 24:00 and months."""
    elements = (type_.element or type_ for _, type_ in routine.outputs)
    for name in {_TIMES[type_.name] for type_ in elements if type_.name in _TIMES}:
        await connection.set_type_codec(name, schema="pg_catalog", encoder=str, decoder=str)


async def outputs(connection: Any, routine: Routine, row: Any) -> list[Any]:
    """Return the outputs of a procedure in the form of columns. CALL cannot be part of a query."""
    binder, columns = Binder(), list[Any]()
    for name, type_ in routine.outputs:
        place = f"o{len(columns)}"
        binder.sources[place] = ParamSource(("value", name))
        columns.append(shown(sa.bindparam(place, type_=Native(type_.name)), type_).label(name))
    statement = finish(select.whole(binder, sa.select(*columns)), binder)
    values = Bindings(Actor(""), [], {}, [], record=dict(row))
    shown_row = await connection.fetchrow(statement.sql, *arguments(bound(statement), values))
    records: list[Any] = exact_json.loads(shown_row["body"])
    return records
