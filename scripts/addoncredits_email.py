"""Mail the receipt of an add-on purchase to the owner, at most three times per transaction."""

from __future__ import annotations

from pydantic import BaseModel, Field

from product.billing import notices
from product.context import Context
from product.roles import OWNER
from tableapi import NotFound, TooMany, script


class Input(BaseModel):
    transactionid: int = Field(ge=1, lt=2**63)


_OWN = "select receipts from transactionhistory where transactionid = $1 and clientid = $2 and isaddon = 1 for update"
_COUNT = "update transactionhistory set receipts = receipts + 1 where transactionid = $1 and clientid = $2"


@script(roles=OWNER, limit="20/hour per account")
async def run(ctx: Context, input: Input) -> dict[str, object]:
    async with ctx.db.transaction():
        count = await ctx.db.first_value(int, _OWN, input.transactionid, ctx.actor.clientid)
        if count is None:
            raise NotFound(f"There is no transaction with the id {input.transactionid}.", case="no_such_transaction")
        if count >= 3:
            raise TooMany(
                "This receipt has already been sent three times. Try again later.",
                headers={"Retry-After": "86400"},
                case="receipt_sent",
                context={"limit": 3},
            )
        await ctx.db.execute(_COUNT, input.transactionid, ctx.actor.clientid)
        await notices.receipt(ctx, ctx.actor.clientid, input.transactionid)
    return {"success": 1}
