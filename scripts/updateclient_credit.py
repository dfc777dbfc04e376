"""Renew the free plan if its month is over, and return the credit balances.

Repeating it grants nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from product.accounts import users
from product.billing import plans
from product.context import Context
from tableapi import script


@dataclass(frozen=True, slots=True)
class _Row:
    row: object


class Input(BaseModel):
    afid: str | None = None
    clientid: int | None = None


_ROWS = "select to_jsonb(c) - 'usercreditid' as row from usercredit c where clientid = $1"


@script(roles=("client", "unverified"))
async def run(ctx: Context, input: Input) -> dict[str, object]:
    await users.own(ctx, afid=input.afid, clientid=input.clientid)
    clientid = ctx.actor.clientid
    async with ctx.db.transaction():
        await plans.renew_free(ctx, clientid)
    return {"success": 1, "resource": [row.row for row in await ctx.db.all(_Row, _ROWS, clientid)]}
