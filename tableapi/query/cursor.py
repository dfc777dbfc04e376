"""The order of a read and its pages by cursor: where a page ends, and the rows after it."""

from __future__ import annotations

import base64
from typing import Any

import orjson
import sqlalchemy as sa

from tableapi.errors import BadRequest
from tableapi.query.expressions.operands import Scope, single
from tableapi.query.expressions.order import OrderTerm
from tableapi.query.filter.comparable import check_sortable
from tableapi.query.syntax import DISTANCES, Term
from tableapi.schema.model import Column
from tableapi.schema.pgtypes import TEXT, PgType
from tableapi.schema.sqltypes import Named

Terms = list[tuple[OrderTerm, Any, Column]]  # each with its expression and its column


def ordering(scope: Scope, terms: list[OrderTerm], key: tuple[str, ...], *, total: bool = False) -> Terms:
    """Return the terms of an order, with the key appended so that pages never overlap.

    total: reject an order in which two rows may be equal, which a cursor cannot use.

    Raises:
        BadRequest: the rows cannot be ordered by a field, or the table has no key.
    """
    order: Terms = []
    seen: set[str] = set()
    scope.binder.count("terms", len(terms))
    for term in terms:
        column, target = ordered(scope, term.term)
        order.append((term, target, column))
        if term.term.plain:
            seen.add(column.name)
    if scope.right.grants and not all(map(scope.right.can_read, key)):
        key = ()  # the role may not read the key
    if scope.table.kind == "f" and terms:  # rows of a function have no key, so only their values order them
        key = tuple(column.name for column in scope.table.columns.values() if _completes(scope, column))
    for name in key:
        if name not in seen:
            order.append((OrderTerm((name,), False, ""), scope.clause.c[name], scope.table.columns[name]))
    if (not key and (terms or total)) or scope.table.inherited:
        # without a unique key, the physical position orders equal rows
        if scope.table.kind in "rm" and scope.right.xmin:
            for name, column in _PLACE.items() if scope.table.inherited else (("ctid", _PLACE["ctid"]),):
                order.append((OrderTerm((name,), False, ""), sa.literal_column(f"{scope.clause.name}.{name}"), column))  # type: ignore[attr-defined]
        elif total and not key:
            raise BadRequest(
                f"Table '{scope.table.name}' has no primary key, so cursors are not supported. Use limit and offset.",
                reason="no_primary_key",
            )
    return order


def _completes(scope: Scope, column: Column) -> bool:
    return column.type.sorts and scope.right.can_read(column.name) and column.name not in scope.right.sealed


_PLACE = {
    name: Column(name, PgType("other", type_, type_), False, None, "", False)
    for name, type_ in (("tableoid", "oid"), ("ctid", "tid"))
}


def ordered(scope: Scope, term: Term) -> tuple[Column, sa.ColumnElement[Any]]:
    """Return the target of an order term: a field, a value inside one, a field of a parent, or a function."""
    if term.aggregates:
        raise BadRequest(
            "Only groups can be ordered by an aggregate. Add 'group', or put a relation before the aggregate.",
            reason="bad_order",
        )
    operand = single(scope, term, ordering=True)
    check_sortable(operand)
    if operand.column is not None:
        return operand.column, operand.expression
    target = operand.sortable if operand.nearness is None else operand.nearness
    return Column(operand.name, operand.type, True, None, "", False), target


def directed(term: OrderTerm, target: Any) -> Any:
    """Add the direction and the position of NULL to an expression."""
    ordered = target.desc() if term.descending else target.asc()
    if term.nulls:
        ordered = ordered.nulls_first() if term.nulls == "first" else ordered.nulls_last()
    return ordered


def nearest(scope: Scope, terms: Terms, conditions: list[Any], limit: int, offset: int) -> Scope | None:
    """Return the first rows of an order that begins with a distance, including ties.

    They are ordered by the distance alone, because before version 17 PostgreSQL does not use a distance index for an
    order with more terms. None if the order begins with something else, or if the rows have no key to complete it.
    """
    first, target, _ = terms[0] if terms else (OrderTerm((), True, ""), None, None)
    function = first.function
    if function is None or function.name not in DISTANCES or len(first.path) > 1 or first.descending or first.nulls:
        return None
    if not scope.table.key or scope.right.grants:
        return None
    count: Any = sa.literal_column(str(limit))
    rows = sa.select(*scope.columns_read()).where(*conditions).order_by(target)
    if offset > 0:
        count = sa.bindparam("offset", type_=sa.BigInteger) + count
    return scope.over(rows.fetch(count, with_ties=True).subquery(scope.binder.name("n")))


def encode_cursor(mark: str, values: bytes) -> str:
    """Encode a cursor. `values`: a JSON array of the values at which the page ends."""
    return base64.urlsafe_b64encode(mark.encode() + b":" + values).decode().rstrip("=")


def decode_cursor(text: str, mark: str, length: int) -> list[Any]:
    """Decode a cursor to the values of the ordering fields at which the last page ended.

    Raises:
        BadRequest: `bad_cursor`, including for a cursor from another table or order.
    """
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        head, _, tail = raw.partition(b":")
        values = orjson.loads(tail)
    except ValueError:
        raise BadRequest(
            "This is not a cursor. Send `next_cursor` of the page before, or start without a cursor.",
            reason="bad_cursor",
        ) from None
    valid = head.decode("latin-1") == mark and isinstance(values, list) and len(values) == length
    if not valid or not all(isinstance(value, str | None) for value in values):
        raise BadRequest(
            "The cursor belongs to another table or order. Start again without a cursor.", reason="bad_cursor"
        )
    return list(values)


def after(terms: Terms, values: list[Any], scope: Scope, place: int = 0) -> sa.ColumnElement[bool]:
    """Return the condition that selects the rows after these values.

    The conditions are nested, so that PostgreSQL uses an index on the first field.
    """
    (term, target, column), value = terms[place], values[place]
    nulls_last = term.nulls == "last" or (not term.nulls and not term.descending)
    rest = after(terms, values, scope, place + 1) if place + 1 < len(terms) else None
    composite = column.type.kind == "composite"  # a composite of NULLs satisfies `is null` but is ordered as a value
    missing = target.is_not_distinct_from(sa.null()) if composite else target.is_(None)
    if value is None:
        same = missing
        after_null = sa.false() if nulls_last else sa.not_(missing)
        return sa.or_(after_null, sa.and_(same, rest)) if rest is not None else after_null
    # Bound as the text written by PostgreSQL, because a JSON number would lose digits of a numeric.
    bound = sa.cast(scope.binder.value(TEXT, ("cursor", place), column.name), Named(column.type.name))
    greater = target < bound if term.descending else target > bound
    if rest is not None:
        edge = target <= bound if term.descending else target >= bound
        following = sa.and_(edge, sa.or_(greater, rest))
    else:
        following = greater
    return sa.or_(following, missing) if nulls_last and (column.nullable or column.unsure) else following


def position(terms: Terms) -> Any:
    """Return the values of the ordering fields of a row as a JSON array of texts."""
    return sa.func.json_build_array(*(sa.cast(target, Named("text")) for _, target, _ in terms))
