"""Fields, values inside fields, and functions of them, as SQL expressions of one row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from tableapi.crypto.vault import MASK
from tableapi.errors import BadRequest, UnknownField
from tableapi.query.expressions import casts, search, similarity, spatial
from tableapi.query.expressions.operand import Operand
from tableapi.query.expressions.scope import TableAlias
from tableapi.query.spelling import unknown_relation
from tableapi.query.syntax import DATE_PARTS, DISTANCES, Function, Term
from tableapi.schema.model import Column, Relation
from tableapi.schema.pgtypes import TEXT, PgType
from tableapi.schema.sqltypes import Named, Native, call, own_type

JSONB = PgType("json", "jsonb", "jsonb")
DATE = PgType("date", "date", "date")
MAX_LEVELS = 3  # relations in one path


def _start_of(part: str, target: Any, type_: PgType, label: str) -> tuple[Any, PgType]:
    """Return the start of the year, quarter, month, ISO week, day or hour of a value, in UTC.

    The start of an hour has the type of the value, the others are dates.

    Raises:
        BadRequest: `bad_type`.
    """
    if not type_.is_time or (part == "hour" and type_.kind == "date"):
        raise BadRequest(
            f"Field '{label}' has the type {type_.db_type}, which {part.upper()} does not support. "
            "It needs a date or time.",
            reason="bad_type",
            context={"field": label},
        )
    moment = sa.cast(target, Named("timestamp without time zone")) if type_.kind == "date" else target
    start = sa.func.date_trunc(sa.literal_column(f"'{part}'"), moment)
    return (start, type_) if part == "hour" else (sa.cast(start, Named("date")), DATE)


class Scope(TableAlias):
    """A table under an alias, with the expressions of its rows."""

    def operand(self, path: tuple[str, ...], function: Function | None = None) -> Operand:
        """Return a field, a value inside one, or a function of them, as an expression of a row of this scope.

        Raises:
            UnknownField, BadRequest: the field does not exist, or does not support the function.
        """
        return _of_row(self, path, function)


def _of_row(scope: Scope, path: tuple[str, ...], function: Function | None) -> Operand:
    """Return an expression of a row; only the path of an aggregate leads through relations."""
    if function is None:
        return _field(scope, path)
    if function.needs_window or function.over is not None:
        raise no_window(function)
    if function.aggregates:
        if not function.through:
            raise BadRequest(
                f"{function.name.upper()}() of the rows themselves belongs in 'having'. For related rows, put the "
                f"relation before the field: <relation>.{function.name.upper()}(<field>).",
                reason="bad_aggregate",
            )
        return _of_related(scope, path, function)
    return _APPLIED[function.name](scope, _field(scope, path), function)


def no_window(function: Function) -> BadRequest:
    """Build the error for a window function where there is no page, or without OVER."""
    name = function.name.upper()
    if function.over is None:
        call = f"{name}()" if function.argument == "rows" else f"{name}(<field>)"
        message = f"{name}() needs a window: {call} OVER (ORDER BY <field>) AS <name>, in 'fields' of a list."
    else:
        message = (
            f"{name}() OVER (...) reads the rows of a page, so it is allowed only in 'fields' of a list of records, "
            "not in groups, relations, conditions, orders, writes or reads by identifier. To read records by "
            "identifier, write filter=<key> IN (...)."
        )
    return BadRequest(message, reason="bad_window", context={"function": name})


def single(scope: Scope, term: Term, *, shown: bool = False, ordering: bool = False, level: int = 0) -> Operand:
    """Return an expression for a term with one value per row, possibly a field of a parent.

    shown: for the response, so that sealed fields are permitted. ordering: for `order`, which has its own error reason.

    Raises:
        BadRequest: the path leads to many records.
    """
    path, function = term.path, term.function
    if function is not None and (function.needs_window or function.over is not None):
        raise no_window(function)
    through = function is not None and function.aggregates
    relation = scope.relation(path[0]) if len(path) > 1 and not through else None
    if relation is None:
        if shown and term.plain and scope.table.function(path[0]) is None:
            return of_response(scope, scope.column(path[0]))
        return scope.operand(path, function)
    check_level(level + 1)
    if relation.many:
        message = (
            f"Relation '{relation.name}' has many records. Use a field of a parent, an aggregate such as "
            f"{relation.name}.COUNT(*), or use 'related'."
        )
        if ordering:
            raise BadRequest(message, reason="bad_order", context={"relation": relation.name})
        raise BadRequest(message, reason="many_records", context={"relation": relation.name})
    inner, conditions = scope.followed(relation)
    operand = single(inner, Term(path[1:], function), shown=shown, ordering=ordering, level=level + 1)
    row = sa.select(operand.expression).where(*conditions).correlate_except(inner.clause)
    value: Any = row.limit(sa.literal_column("1")).scalar_subquery()
    text = value.op("#>>")(_keys(())) if operand.text is not None else None
    name = f"{relation.name}.{operand.name}"
    return replace(operand, expression=value, name=name, nullable=True, text=text, column=None, nearness=None)


def of_response(scope: Scope, column: Column) -> Operand:
    """Return a column for the response; a sealed one as ciphertext, or as MASK if the right masks it."""
    target: Any = scope.clause.c[column.name]
    if column.name in scope.right.masked:
        target = sa.case((target.is_not(None), sa.literal_column(f"'{MASK}'")))
        return Operand(target, TEXT, column.name, True, None, column)
    sealed = (column.name in scope.right.sealed) + (column.name in scope.right.credentials)
    return Operand(target, column.type, column.name, True, None, column, sealed)


def check_level(level: int) -> None:
    """Reject a path through too many relations."""
    if level > MAX_LEVELS:
        raise BadRequest(f"Relations may be nested at most {MAX_LEVELS} levels deep.", reason="too_deep")


# -- fields and values inside them -----------------------------------------------------------------------------------


def _field(scope: Scope, path: tuple[str, ...]) -> Operand:
    """Return a field, or a value inside a field of JSON, an array or a composite type."""
    dotted = scope.table.find(".".join(path)) if len(path) > 1 else None
    if dotted is not None and scope.right.can_read(dotted.name):
        path = (dotted.name,)
    if len(path) == 1 and (operand := _computed(scope, path[0])) is not None:
        return operand
    column, target = scope.plain(path[0], of_path=len(path) > 1)
    if len(path) == 1:
        return Operand(target, column.type, column.name, column.nullable, None, column)
    name = ".".join((column.name, *path[1:]))
    element = column.type.element
    if element is not None and len(path) == 2 and path[1].isdigit():
        first = sa.func.array_lower(target, sa.literal_column("1"))
        array = sa.type_coerce(target, sa.ARRAY(own_type(element)))
        return Operand(array[first + sa.literal_column(path[1])], element, name)
    if column.type.kind == "json":
        scope.binder.may_fail |= column.type.name != "jsonb"  # json may contain values that jsonb cannot
        return _inside(sa.cast(target, Named("jsonb")), path[1:], name)
    if column.type.kind == "composite" or column.type.of_composites:
        return _inside(sa.func.to_jsonb(target), path[1:], name)
    raise UnknownField(".".join(path), scope.table.name)


def _computed(scope: Scope, name: str) -> Operand | None:
    """Return a row function that the caller may read, or None."""
    computed = scope.table.function(name)
    if computed is None or not scope.right.computes(computed.name):
        return None
    scope.binder.may_fail = True
    value = call(computed.schema, computed.name, scope.row(), type_=Named(computed.type.name))
    return Operand(value, computed.type, computed.name)


def _inside(target: Any, path: tuple[str, ...], name: str) -> Operand:
    """Return a value inside JSON."""
    keys = _keys(path)
    return Operand(target.op("#>")(keys), JSONB, name, text=target.op("#>>")(keys))


def _keys(path: tuple[str, ...]) -> Any:
    """Return a path inside JSON as an array of texts."""
    quoted = ",".join('"' + p.replace("\\", "\\\\").replace('"', '\\"') + '"' for p in path)
    return sa.cast(sa.literal("{" + quoted + "}", Native("text")), Named("text[]"))


# -- functions -------------------------------------------------------------------------------------------------------


def _cast(scope: Scope, operand: Operand, function: Function) -> Operand:
    scope.binder.may_fail = True
    expression, type_ = casts.cast(operand.expression, operand.text, operand.type, function.argument, operand.name)
    return Operand(expression, type_, operand.name)


def _date_part(scope: Scope, operand: Operand, function: Function) -> Operand:
    scope.binder.may_fail = True  # not every date is a valid time
    expression, type_ = _start_of(function.name, operand.expression, operand.type, operand.name)
    return Operand(expression, type_, f"{function.name}_{operand.name.lower()}")


def _rank(scope: Scope, operand: Operand, _: Function) -> Operand:
    expression, type_ = search.rank(scope, operand)
    return Operand(expression, type_, f"rank_{operand.name.lower()}")


def _distance(scope: Scope, operand: Operand, function: Function) -> Operand:
    of_shapes = function.name == "distance" and operand.type.postgis
    expression, nearness = (spatial if of_shapes else similarity).distance(scope, operand, function)
    return Operand(expression, spatial.FLOAT, f"{function.name}_{operand.name.lower()}", nearness=nearness)


def _similar(scope: Scope, operand: Operand, function: Function) -> Operand:
    expression = similarity.similar(scope, operand, function)
    return Operand(expression, search.REAL, f"similar_{operand.name.lower()}")


def _highlight(scope: Scope, operand: Operand, _: Function) -> Operand:
    return Operand(search.highlight(scope, operand), TEXT, f"highlight_{operand.name.lower()}")


_APPLIED: dict[str, Callable[[Any, Operand, Function], Operand]] = {
    "cast": _cast, "rank": _rank, "highlight": _highlight, "similar": _similar,
    **dict.fromkeys(DATE_PARTS, _date_part), **dict.fromkeys(DISTANCES, _distance),
}  # fmt: skip


# -- aggregates ------------------------------------------------------------------------------------------------------


def aggregate(scope: Any, path: tuple[str, ...], function: Function) -> Operand:
    """Return an aggregate of the rows of a scope. Related rows can only be those of parents.

    Raises:
        BadRequest: the function does not exist for the field.
    """
    if path == ("*",):
        if function.name != "count":
            raise BadRequest(f"{function.name.upper()} does not take *. Name a field.", reason="bad_aggregate")
        rows: Any = sa.func.count()
        if function.where:
            rows = sa.func.count(sa.case((scope.binder.condition(scope, function.where), sa.literal_column("1"))))
        return Operand(rows, casts.BIGINT, "count_all", nullable=False)
    operand = single(scope, Term(path, function.inner))
    if function.where:  # aggregates pass over null, so that a CASE does what FILTER would do
        condition = scope.binder.condition(scope, function.where)
        text = sa.case((condition, operand.text)) if operand.text is not None else None
        operand = replace(operand, expression=sa.case((condition, operand.expression)), text=text)
    return casts.aggregate(function, operand)


def _of_related(scope: Scope, path: tuple[str, ...], function: Function) -> Operand:
    """Return an aggregate of related rows, restricted by `<relation>.filter`."""
    inner, conditions, names, clauses = scope, [], [], []
    check_level(len(function.through))
    for name in function.through:
        relation = _relation(inner, name)
        inner, joined = inner.followed(relation)
        conditions += [*joined, *inner.binder.narrow(inner)]
        clauses.append(inner.clause)
        names.append(relation.name)
    operand = aggregate(inner, path, replace(function, through=()))
    rows = sa.select(operand.expression).select_from(*clauses).where(*conditions).correlate_except(*clauses)
    return replace(operand, expression=rows.scalar_subquery(), name=".".join((*names, operand.name)), column=None)


def _relation(scope: Scope, name: str) -> Relation:
    """Return a relation of the scope's table.

    Raises:
        BadRequest: `unknown_relation`.
    """
    if (relation := scope.relation(name)) is None:
        raise unknown_relation(name, scope.table, scope.relations())
    return relation
