"""Send an event again. Its id stays the same, so the receiver can tell."""

from __future__ import annotations

from pydantic import BaseModel, Field

from product.context import Context
from product.roles import OWNER
from product.success import Output
from tableapi import NotFound, script

_AGAIN = """
    update webhookdelivery set status = 'waiting', attempts = 0, dueon = now(), donon = null
    where clientid = $1 and deliveryid = $2 returning deliveryid
"""


class Input(BaseModel):
    deliveryid: int = Field(ge=1, lt=2**63)


@script(roles=OWNER, limit="120/hour per user", repeatable=True)
async def run(ctx: Context, input: Input) -> Output:
    if await ctx.db.first_value(int, _AGAIN, ctx.actor.clientid, input.deliveryid) is None:
        raise NotFound(f"There is no delivery with the id {input.deliveryid}.", case="no_such_delivery")
    return Output()
