"""Check whether an email address can be used to sign up."""

from __future__ import annotations

from scripts._shared.accounts import availability
from scripts._shared.accounts.availability import Input, Output
from scripts._shared.context import Context
from tableapi.auth.policy import ANYONE
from tableapi.endpoints.registry import script


@script(roles=(ANYONE,))
async def run(ctx: Context, input: Input) -> Output:
    return await availability.check(ctx, input)
