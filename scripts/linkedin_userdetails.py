"""Whom the ticket of linkedin_accesstoken stands for, and whether that is a sign-in or a sign-up."""

from __future__ import annotations

from pydantic import BaseModel

from scripts._shared import social
from scripts._shared.social import Details
from tableapi.access import ANYONE
from tableapi.context import Context
from tableapi.scripts import script


class Input(BaseModel):
    access_token: str


@script(roles=(ANYONE,), limit="10/minute per ip")
async def run(ctx: Context, input: Input) -> Details:
    return await social.details(ctx, input.access_token)
