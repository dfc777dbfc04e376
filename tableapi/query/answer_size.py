"""How large one answer may be: rows and bytes, those of relations included."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from tableapi.errors import BadRequest
from tableapi.query.bounds import Bounds
from tableapi.query.plan import Bindings, Plan

Fetch = Callable[..., Awaitable[Any]]


async def check(bounds: Bounds, fetch: Fetch, made: Plan, values: Bindings) -> None:
    """Measure an answer that may be too large, before it is made. Raises BadRequest when it is."""
    if made.measure is None:
        return
    size = await fetch(made.measure.sql, *made.measure.args(values))
    if size["rows"] > bounds.answer_rows or (size["bytes"] or 0) > bounds.answer_bytes:
        raise too_large(bounds)


async def fetchrow(bounds: Bounds, fetch: Fetch, made: Plan, values: Bindings) -> Any:
    """The row of a statement whose answer is within the budget."""
    if made.measure is not None:
        await check(bounds, fetch, made, values)
    return await fetch(made.sql, *made.args(values))


def too_large(bounds: Bounds) -> BadRequest:
    return BadRequest(
        f"The answer would have more than {bounds.answer_rows:,} rows, those of relations included, or more than "
        f"{bounds.answer_bytes // 1_000_000} MB. Ask for less: a lower limit, a lower <relation>.limit, fewer "
        "relations or fields.",
        reason="answer_too_large",
        context={"rows": bounds.answer_rows, "bytes": bounds.answer_bytes},
    )
