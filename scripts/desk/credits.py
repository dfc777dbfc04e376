"""Grant credits to a client, or take some with a negative amount.

A repeat with the same id changes nothing.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints, field_validator
from pydantic_core import PydanticCustomError

from product.context import Context
from product.desk import credit_change, log
from product.desk.reason import Reason
from product.roles import STAFF
from tableapi import script

MOST = 1_000_000


class Input(BaseModel):
    clientid: int = Field(ge=1, lt=2**63)
    kind: Literal["contactcredit", "bus_email_credits", "personal_email_credits"]
    amount: int = Field(ge=-MOST, le=MOST)
    reason: Reason
    requestid: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{8,64}$")]

    @field_validator("amount")
    @classmethod
    def _something(cls, value: int) -> int:
        if value == 0:
            raise PydanticCustomError(
                "credits_missing", "Enter the number of credits to grant, or a negative number to deduct them"
            )
        return value


class Output(BaseModel):
    success: int = 1
    changed: bool
    balance: int


@script(roles=STAFF, limit="60/hour per user", repeatable=True)
async def run(ctx: Context, input: Input) -> Output:
    async with ctx.db.transaction():
        changed, balance = await credit_change.move(ctx, input.clientid, input.kind, input.amount, input.requestid)
        if changed:
            change = {"kind": input.kind, "amount": input.amount, "reason": input.reason}
            await log.write(ctx, "credits", input.clientid, **change)
    return Output(changed=changed, balance=balance)
