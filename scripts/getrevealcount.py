"""Count the paid reveals of a user since a date (UTC midnight).

Counts reveals, not contacts. With `daily` the response adds the count of each day that has reveals.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any

from pydantic import BaseModel, Field

from scripts._shared import audit
from scripts._shared.context import Context
from scripts._shared.roles import SESSION
from tableapi.endpoints.registry import script
from tableapi.errors import Forbidden


class Input(BaseModel):
    revealedby: int = Field(ge=1, lt=2**63)
    date: date
    daily: bool = False


_IS_MEMBER = "select exists (select 1 from appuser where appuserid = $1 and clientid = $2)"

_DAYS = """
    select (createdon at time zone 'UTC')::date::text as date, count(*) as count
    from reveal where appuserid = $1 and createdon >= $2 group by 1 order by 1
"""


@script(roles=SESSION)
async def run(ctx: Context, input: Input) -> dict[str, Any]:
    is_self = input.revealedby == ctx.actor.appuserid
    is_owner = ctx.actor.role == "client" and await ctx.db.fetchval(_IS_MEMBER, input.revealedby, ctx.actor.clientid)
    if not (is_self or is_owner):
        await audit.write(ctx, "tenant_mismatch", input.revealedby, field="revealedby", call=ctx.request.path)
        raise Forbidden("You can count your own reveals and those of your team.", reason="tenant_mismatch")
    since = datetime.combine(input.date, time.min, UTC)
    if not input.daily:
        sql = "select count(*) from reveal where appuserid = $1 and createdon >= $2"
        return {"totalrevealcount": await ctx.db.fetchval(sql, input.revealedby, since)}
    days = [dict(row) for row in await ctx.db.fetch(_DAYS, input.revealedby, since)]
    return {"totalrevealcount": sum(day["count"] for day in days), "days": days}
