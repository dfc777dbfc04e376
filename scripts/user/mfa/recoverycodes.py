"""Replace the recovery codes of two-step sign-in; the earlier ones no longer work."""

from __future__ import annotations

from pydantic import BaseModel

from product.accounts import proof, second_factor
from product.context import Context
from product.roles import SESSION
from tableapi import script


class Output(BaseModel):
    success: int = 1
    recoverycodes: list[str]


@script(roles=SESSION)
async def run(ctx: Context, input: proof.Proof) -> Output:
    user = await proof.proved_caller(ctx, input)
    async with ctx.db.transaction():
        codes = await second_factor.renew_recovery_codes(ctx)
        await second_factor.tell(ctx, user, "mfa_codes_renewed")
    return Output(recoverycodes=codes)
