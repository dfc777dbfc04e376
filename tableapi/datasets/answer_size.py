"""Limit the size of one response in rows and bytes, including related rows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg

from tableapi.errors import BadRequest
from tableapi.query.limits import Limits
from tableapi.query.plan import Bindings, Plan
from tableapi.query.statement import arguments

Fetch = Callable[..., Awaitable[Any]]


async def check(limits: Limits, fetch: Fetch, plan: Plan, values: Bindings) -> None:
    """Measure a response that may be too large before computing it.

    Raises:
        BadRequest: `answer_too_large`.
    """
    if plan.measure is None:
        return
    size = await fetch(plan.measure.sql, *plan.measure.args(values))
    if size["rows"] > limits.answer_rows or (size["bytes"] or 0) > limits.answer_bytes:
        raise too_large(limits)


def fetchrow(limits: Limits, fetch: Fetch, plan: Plan, values: Bindings) -> Awaitable[Any]:
    """Run a plan once its response is known to be within the limits, and return its row.

    Raises:
        BadRequest: `answer_too_large`; `slow_pattern` for a regular expression that reaches the time limit.
    """
    if plan.measure is None and not plan.patterns:  # nearly every plan; avoids a coroutine
        return fetch(plan.sql, *arguments(plan.parameters, values))
    return _checked(limits, fetch, plan, values)


async def _checked(limits: Limits, fetch: Fetch, plan: Plan, values: Bindings) -> Any:
    try:
        await check(limits, fetch, plan, values)
        return await fetch(plan.sql, *plan.args(values))
    except asyncpg.QueryCanceledError:
        if not plan.patterns:
            raise
        raise BadRequest(
            "The regular expression takes too long for this many records. Add other conditions, or use CONTAINS or "
            "STARTS WITH.",
            reason="slow_pattern",
        ) from None


def too_large(limits: Limits) -> BadRequest:
    """Build the error for a response beyond the limits, which it names."""
    return BadRequest(
        f"The response would have more than {limits.answer_rows:,} rows, including related rows, or more than "
        f"{limits.answer_bytes // 1_000_000} MB. Request less: lower limit or <relation>.limit, or name fewer "
        "relations or fields.",
        reason="answer_too_large",
        context={"rows": limits.answer_rows, "bytes": limits.answer_bytes},
    )
