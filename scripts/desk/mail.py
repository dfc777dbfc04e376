"""Mail an invitation, a verification link or a receipt again. The recipient is the one on record."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticCustomError

from product.accounts import verification
from product.accounts.users import User
from product.billing import notices
from product.context import Context
from product.desk import clients, log
from product.roles import STAFF
from product.success import Output
from product.team import seats
from tableapi import Conflict, NotFound, script

PER_TARGET, HOUR = 3, 3600
_PAID = "select clientid from transactionhistory where transactionid = $1 and status in ('paid', 'refunded')"


class Input(BaseModel):
    kind: Literal["invitation", "verification", "receipt"]
    appuserid: int | None = Field(default=None, ge=1, lt=2**63)
    transactionid: int | None = Field(default=None, ge=1, lt=2**63)

    @model_validator(mode="after")
    def _target(self) -> Input:
        if (self.transactionid if self.kind == "receipt" else self.appuserid) is None:
            raise PydanticCustomError("user_or_transaction", "Name the user or, for a receipt, the transaction")
        return self


@script(roles=STAFF, limit="60/hour per user")
async def run(ctx: Context, input: Input) -> Output:
    target = input.transactionid if input.kind == "receipt" else input.appuserid
    assert target is not None
    ctx.limit(f"desk mail {input.kind}", str(target), PER_TARGET, HOUR)
    if input.kind == "receipt":
        await _receipt(ctx, target)
        return Output()
    user = await clients.user(ctx, target)
    if input.kind == "invitation":
        if user.invitestatus != "pending":
            raise Conflict("This member has already accepted the invitation.", reason="not_pending")
        await seats.invite_again(ctx, user)
        await log.write(ctx, "mail", user.clientid, user.appuserid, mail="invitation")
    else:
        await _verification(ctx, user)
    return Output()


async def _receipt(ctx: Context, transactionid: int) -> None:
    async with ctx.db.transaction():
        clientid = await ctx.db.first_value(int, _PAID, transactionid)
        if clientid is None:
            raise NotFound("There is no such payment.", case="no_such_payment")
        await notices.receipt(ctx, clientid, transactionid)
        await log.write(ctx, "mail", clientid, transactionid, mail="receipt")


async def _verification(ctx: Context, user: User) -> None:
    if user.isverified or user.invitestatus != "accepted":
        raise Conflict("This user has no address to verify.", reason="not_pending", case="no_address_to_verify")
    async with ctx.db.transaction():
        await verification.mail_link(ctx, user, "verify")
        await log.write(ctx, "mail", user.clientid, user.appuserid, mail="verification")
