"""Begin to turn two-step sign-in on: return a new secret for an authenticator app.

Nothing changes until `user/mfa/confirm` gets the first code of the app.
"""

from __future__ import annotations

from pydantic import BaseModel

from product.accounts import proof, second_factor
from product.context import Context
from product.roles import SESSION
from tableapi import script


class Output(BaseModel):
    """The secret in base32, its address for a QR code, and what `confirm` takes within 15 minutes."""

    success: int = 1
    secret: str
    uri: str
    setup: str


@script(roles=SESSION)
async def run(ctx: Context, input: proof.Proof) -> Output:
    user = await proof.proved_caller(ctx, input, with_code=False, by_password=True)
    async with ctx.db.transaction():
        proposal = await second_factor.propose(ctx, user.email)
    return Output(secret=proposal.secret, uri=proposal.uri, setup=proposal.token)
