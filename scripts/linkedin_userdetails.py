"""Return the LinkedIn identity behind a ticket, and whether it signs in or signs up."""

from __future__ import annotations

from pydantic import BaseModel

from product.accounts import oauth
from product.accounts.oauth import Details
from product.context import Context
from tableapi import ANYONE, script


class Input(BaseModel):
    access_token: str


@script(roles=(ANYONE,), limit="10/minute per ip")
async def run(ctx: Context, input: Input) -> Details:
    return await oauth.details(ctx, input.access_token)
