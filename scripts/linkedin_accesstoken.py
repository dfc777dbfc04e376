"""Exchange an authorization code of LinkedIn for a one-use ticket."""

from __future__ import annotations

from product.accounts import oauth
from product.accounts.oauth import Input, Output
from product.context import Context
from tableapi import ANYONE, script


@script(roles=(ANYONE,), limit="10/minute per ip")
async def run(ctx: Context, input: Input) -> Output:
    return await oauth.exchange_code(ctx, "linkedin", input)
