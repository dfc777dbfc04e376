"""Window functions: values of a row that depend on the other rows of its page. Pure.

A window sees the rows of the page only, so its cost is bounded by the size of a page. Rows that are equal in the order
of a window are in the order of the page.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from tableapi.errors import BadRequest
from tableapi.query import cursor, syntax
from tableapi.query.expressions.casts import BIGINT
from tableapi.query.expressions.operand import Operand
from tableapi.query.expressions.operands import Scope, aggregate, no_window, single
from tableapi.query.expressions.order import order_terms
from tableapi.query.filter.comparable import check_sortable
from tableapi.query.names import FUNCTIONS, split
from tableapi.query.syntax import OF_OTHER_ROWS, RANKINGS, Function, Term

MAX_ROWS_AWAY = 1000
# The rows that a function reads: those up to the current one, or all of the partition. Others have no choice.
_FRAMES: dict[str, tuple[int | None, int | None]] = {
    **dict.fromkeys(FUNCTIONS, (None, 0)), "first_value": (None, None), "last_value": (None, None),
}  # fmt: skip


def window(scope: Scope, term: Term) -> Operand:
    """Return a window function of the rows of a page.

    Raises:
        BadRequest: there is no page, a field cannot be used, or the function has no window.
    """
    function = term.function
    assert function is not None
    assert function.over is not None
    if scope.page is None:
        raise no_window(function)
    scope.binder.count("windows")
    partition = [] if scope.page.within is None else [scope.page.within]
    partition += [_partition(scope, part) for part in split(function.over.partition) if part]
    terms = order_terms(function.over.order)
    scope.binder.count("terms", len(terms) + len(partition))
    order = [cursor.directed(term, cursor.ordered(scope, term.term)[1]) for term in terms]
    ranks_equal_rows = function.name in ("rank", "dense_rank")
    if not ranks_equal_rows:
        order.append(scope.page.place.asc())
    operand = _operand(scope, term.path, function)
    frame = _FRAMES.get(function.name)
    value = operand.expression.over(partition_by=partition or None, order_by=order, rows=frame)
    return Operand(value, operand.type, function.name)


def _partition(scope: Scope, text: str) -> Any:
    """Return an expression that separates the rows of a window."""
    term = syntax.whole(text)
    if term is None:
        if message := syntax.called(text):
            raise BadRequest(message, reason="unknown_function", context={"option": "fields"})
        term = Term((text,))
    operand = single(scope, term)
    check_sortable(operand, grouped=True)
    return operand.sortable


def _operand(scope: Scope, path: tuple[str, ...], function: Function) -> Operand:
    """Return the function, of which the window is not part yet, with the type of its result."""
    name = function.name
    if name in RANKINGS:
        return Operand(getattr(sa.func, name)(), BIGINT, name, nullable=False)
    if name in OF_OTHER_ROWS:
        operand = single(scope, Term(path, function.inner))
        arguments = [operand.expression]
        if name in ("lag", "lead"):
            if not 1 <= int(function.argument) <= MAX_ROWS_AWAY:
                raise BadRequest(
                    f"{name.upper()} takes a distance of 1 to {MAX_ROWS_AWAY:,} rows.", reason="bad_window",
                    context={"function": name.upper()},
                )  # fmt: skip
            arguments.append(sa.literal_column(function.argument))
        call = getattr(sa.func, name)(*arguments, type_=operand.expression.type)
        return replace(operand, expression=call, text=None, column=None, nearness=None)
    operand = aggregate(scope, path, replace(function, over=None))
    if function.argument or not isinstance(operand.expression, sa.FunctionElement):
        what = "COUNT(DISTINCT f)" if name == "count" else name.upper()
        raise BadRequest(
            f"{what} of '{'.'.join(path)[:100]}' does not support OVER. Leave OVER out and use 'group'.",
            reason="bad_window",
            context={"function": name.upper()},
        )  # fmt: skip
    return operand
