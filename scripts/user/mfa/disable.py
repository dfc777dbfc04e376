"""Turn two-step sign-in off, so that the password is enough again."""

from __future__ import annotations

from product.accounts import proof, second_factor
from product.context import Context
from product.roles import SESSION
from product.success import Output
from tableapi import script


@script(roles=SESSION, repeatable=True)
async def run(ctx: Context, input: proof.Proof) -> Output:
    user = await proof.proved_caller(ctx, input)
    async with ctx.db.transaction():
        if await second_factor.disable(ctx, user.appuserid):
            await second_factor.tell(ctx, user, "mfa_disabled")
    return Output()
