"""The popup came back from Google with a code: trade it for a one-use ticket. The provider's token stays here."""

from __future__ import annotations

from scripts._shared.accounts import oauth
from scripts._shared.accounts.oauth import Input, Output
from scripts._shared.context import Context
from tableapi.auth.policy import ANYONE
from tableapi.endpoints.registry import script


@script(roles=(ANYONE,), limit="10/minute per ip")
async def run(ctx: Context, input: Input) -> Output:
    return await oauth.ticket(ctx, "google", input)
