"""Start a sign-in with Google or LinkedIn, and return the URL for the popup."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from product.accounts import oauth
from product.context import Context
from tableapi import ANYONE, script


class Input(BaseModel):
    provider: Literal["google", "linkedin"]


class Output(BaseModel):
    url: str
    redirect_uri: str


@script(roles=(ANYONE,), limit="20/minute per ip")
async def run(ctx: Context, input: Input) -> Output:
    url = await oauth.begin(ctx, input.provider)
    return Output(url=url, redirect_uri=oauth.redirect_uri(ctx))
