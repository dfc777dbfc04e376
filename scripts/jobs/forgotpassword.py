"""Mail a reset link if a user has the address.

A job, so that the response time of the call does not reveal whether the address is known.
"""

from __future__ import annotations

from pydantic import BaseModel

from product.accounts import users, verification
from product.context import Context
from tableapi import script


class Input(BaseModel):
    email: str
    language: str | None = None  # taken from the request


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    async with ctx.db.transaction():
        user = await users.by_email(ctx, input.email)
        if user is not None and not user.isdeleted:
            await verification.mail_link(ctx, user, "reset", input.language)
