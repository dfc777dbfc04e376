"""Exchange an authorization code of Google for a one-use ticket."""

from __future__ import annotations

from scripts._shared.accounts import oauth
from scripts._shared.accounts.oauth import Input, Output
from scripts._shared.context import Context
from tableapi.auth.policy import ANYONE
from tableapi.endpoints.registry import script


@script(roles=(ANYONE,), limit="10/minute per ip")
async def run(ctx: Context, input: Input) -> Output:
    return await oauth.exchange_code(ctx, "google", input)
