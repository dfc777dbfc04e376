"""Mail a member a verification link or a link to set a password."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from product import language as languages
from product import mail
from product.accounts import tokens, users
from product.context import Context
from product.roles import OWNER
from product.success import Output
from tableapi import script


class Input(BaseModel):
    appuserid: int = Field(ge=1, lt=2**63)
    type: Literal["verification", "password"]


@script(roles=OWNER)
async def run(ctx: Context, input: Input) -> Output:
    user = await users.of_team(ctx, input.appuserid)
    ctx.limit("emailtonewuser", str(input.appuserid), 5, 3600)
    name, path = ("verify", "/emailverification") if input.type == "verification" else ("reset", "/resetpassword")
    async with ctx.db.transaction():
        purpose: tokens.Purpose = "verify" if name == "verify" else "reset"
        code = await tokens.issue(ctx, purpose, user.appuserid, email=user.email)
        link = mail.link(ctx, path, email=user.email, code=code)
        language = languages.of(ctx, user.language)
        await mail.queue(ctx, name, user.email, link, language=language, name=user.name)
    return Output()
