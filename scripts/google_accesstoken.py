"""The popup came back from Google with a code: trade it for a one-use ticket. The provider's token stays here."""

from __future__ import annotations

from pydantic import BaseModel

from scripts._shared import social
from tableapi.access import ANYONE
from tableapi.context import Context
from tableapi.scripts import script


class Input(BaseModel):
    code: str
    state: str
    redirect_uri: str


class Output(BaseModel):
    access_token: str
    expires_in: int = 60


@script(roles=(ANYONE,), limit="10/minute per ip")
async def run(ctx: Context, input: Input) -> Output:
    return Output(access_token=await social.ticket(ctx, "google", input.code, input.state, input.redirect_uri))
