"""Return gauges for /metrics: payment events that are stored but not applied yet."""

from __future__ import annotations

from product.context import Context
from tableapi import script

_LATE = """
    select count(*) as waiting, coalesce(extract(epoch from now() - min(keptat)), 0)::float8 as oldest
    from stripeevent where handledon is null
"""


@script(internal=True)
async def run(ctx: Context) -> dict[str, float]:
    row = await ctx.db.fetchrow(_LATE)
    assert row is not None
    return {"payment_events_waiting": row["waiting"], "payment_event_oldest_seconds": round(row["oldest"], 1)}
