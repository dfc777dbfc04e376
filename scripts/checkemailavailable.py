"""Check whether an email address can be used to sign up. Same as checkemailexists."""

from __future__ import annotations

from product.accounts import availability
from product.accounts.availability import Input, Output
from product.context import Context
from tableapi import ANYONE, script


@script(roles=(ANYONE,))
async def run(ctx: Context, input: Input) -> Output:
    return await availability.check(ctx, input)
