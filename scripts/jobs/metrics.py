"""Return gauges for /metrics: payment events that are stored but not applied yet."""

from __future__ import annotations

from dataclasses import dataclass

from product.context import Context
from tableapi import script

_LATE = """
    select count(*) as waiting, coalesce(extract(epoch from now() - min(keptat)), 0)::float8 as oldest
    from stripeevent where handledon is null
"""


@dataclass(frozen=True, slots=True)
class _Late:
    waiting: int
    oldest: float


@script(internal=True)
async def run(ctx: Context) -> dict[str, float]:
    row = await ctx.db.first(_Late, _LATE)
    assert row is not None
    return {"payment_events_waiting": row.waiting, "payment_event_oldest_seconds": round(row.oldest, 1)}
