"""The popup came back from Google with a code: trade it for a one-use ticket. The provider's token stays here."""

from __future__ import annotations

from scripts._shared import social
from scripts._shared.social import Input, Output
from tableapi.access import ANYONE
from tableapi.context import Context
from tableapi.scripts import script


@script(roles=(ANYONE,), limit="10/minute per ip")
async def run(ctx: Context, input: Input) -> Output:
    return await social.ticket(ctx, "google", input)
