"""Is an address still free to sign up with?"""

from __future__ import annotations

from scripts._shared import availability
from scripts._shared.availability import Input, Output
from tableapi.access import ANYONE
from tableapi.context import Context
from tableapi.scripts import script


@script(roles=(ANYONE,))
async def run(ctx: Context, input: Input) -> Output:
    return await availability.ask(ctx, input)
